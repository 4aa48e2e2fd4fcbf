#!/usr/bin/env bash
# What goes wrong on some ranks only: all of them end, non-zero, with one message of ours, and the
# last good checkpoint stays.
. "$(dirname "$0")/lib.sh" mpich
small=("$TREE/models/mnist.mtf" -D batch=20 -D hidden1=16 -D hidden2=16 -j 1 --mesh a:2 --rules batch:a)

# ends STATUS TEXT FAMILY COMMAND...: within 30 s, with this status ("": not 0), the text once.
ends() {
  local status=$1 text=$2 got
  shift 2
  (export -f start; exec timeout 30 bash -c 'start "$@"' start "$1" 2 "${@:2}") >out 2>&1
  got=$?
  [ $got = 124 ] && fail "hangs: $*"
  if [ -n "$status" ]; then [ $got = "$status" ]; else [ $got != 0 ]; fi || { cat out; fail "status $got: $*"; }
  # Lines are wrapped to the terminal's width.
  [ "$(tr -s ' \n' ' ' <out | grep -oF "$text" | wc -l)" = 1 ] || { cat out; fail "not once: $text"; }
  [ "$(grep -c '^error' out)" = 1 ] || { cat out; fail "not one message: $*"; }
}
# A command line of its own for rank 1; folders `rank0` and `rank1`; little memory (in KiB) for the ranks of a list.
cat >rank.sh <<'R'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
case ",$POOR," in *,$rank,*) ulimit -v $MEMORY ;; esac
[ -z "$APART" ] || cd rank$rank
[ $rank = 1 ] && [ -n "$OTHER" ] && exec "$MTFC" train $OTHER
exec "$MTFC" "$@"
R
chmod +x rank.sh
export OTHER= APART= POOR= MEMORY=450000
# The address sanitizer needs more room than there is.
poor_ranks="1 0,1"
bash -c 'ulimit -v $MEMORY; "$MTFC" --version' >/dev/null 2>&1 || poor_ranks=
# A disk that is too small, where one can be made. The limits of a shell do not do: MPI has files, too.
mkdir full
if mount -t tmpfs -o size=600k tmpfs full 2>/dev/null; then
  trap 'cd /; umount "$folder/full"; rm -rf "$folder"' EXIT
  disk=yes
fi

# A launcher ends all ranks when one exits with an error: none exits before all have shut down, or
# those that are ended meanwhile seem to have crashed.
for family in "${installed[@]}"; do
  mpicc.$family -shared -fPIC -o slow.so "$TREE/tests/tools/slow_to_end.c" || fail "mpicc.$family"
  run "$family" 4 env LD_PRELOAD="$PWD/slow.so" "$MTFC" train nosuch.mtf >out 2>&1
  grep -q -i asan out && break  # a sanitizer must be loaded first
  [ "$(grep -c '^error' out)" = 1 ] && grep -q 'rank 0 has slept' out ||
    { cat out; fail "$family: ranks exit before all have shut down"; }
done

for family in "${families[@]}"; do
  # A disk that is full while saving: the good checkpoint stays, nothing else does.
  for form in one_file sharded; do
    [ -n "${disk:-}" ] || { echo "no small disk: not tested"; break; }
    run "$family" 2 ./rank.sh train "${small[@]}" --steps 2 -o full/run --set train.checkpoint=$form >/dev/null 2>err ||
      { cat err; fail "a run on a disk that is not full"; }
    good=$(ls -d full/run/checkpoints/step-00000002*)
    before=$(ls full/run/checkpoints)
    head -c $(($(df --output=avail -B1 full | tail -n 1) - 100000)) /dev/zero >full/filler
    ends 3 "no space left on device" "$family" ./rank.sh train --resume full/run --steps 4 "${small[@]:1}"
    [ "$(ls full/run/checkpoints)" = "$before" ] || fail "after a full disk: $(ls full/run/checkpoints), before: $before"
    /usr/bin/python3 "$TREE/tests/mpi/tensors.py" "$good" || fail "the good one is damaged"
    rm -rf full/*
  done
  # A log that cannot be written.
  ends 3 "no space left on device" "$family" ./rank.sh train "${small[@]}" --steps 3 --log /dev/full
  # A model of 512 MiB: one rank has no memory for it, or none has; what was noted before is told once.
  for poor in $poor_ranks; do
    POOR=$poor ends 4 "not enough memory" "$family" ./rank.sh train "$TREE/models/two_layer.mtf" -D batch=8 -D io=8000 \
      -D hidden=8000 --mesh a:2 --rules batch:a --steps 1 -j 1
    [ "$(grep -c '^note.N420' out)" = 2 ] || { cat out; fail "notes are told more than once"; }
  done
  # Each rank has memory for its own, both together have not; nothing was written to.
  side=$(awk '/^MemTotal|^SwapTotal/ { sum += $2 } END { print int(sqrt(sum * 1024 / 4 * 0.35)) }' /proc/meminfo)
  ends 4 "not enough memory" "$family" ./rank.sh train "$TREE/models/two_layer.mtf" -D batch=8 -D "io=$side" \
    -D "hidden=$side" --mesh a:2 --rules batch:a --steps 1 -j 1
  # Ranks with other options, other words, or other checkpoints.
  OTHER="${small[*]} --steps 3 --set train.optimizer.lr=0.5" ends 3 "do not run the same program" \
    "$family" ./rank.sh train "${small[@]}" --steps 3
  rm -rf one
  "$MTFC" train "${small[@]}" --steps 2 -o one >/dev/null 2>&1 || fail "a run to go on from"
  OTHER="--resume one --steps 4 ${small[*]:1}" ends 3 "do not run the same program" \
    "$family" ./rank.sh train "${small[@]}" --steps 4
  OTHER="--resume none --steps 4 ${small[*]:1}" ends 2 "there is no checkpoint" \
    "$family" ./rank.sh train --resume one --steps 4 "${small[@]:1}"
  grep -q "reported by rank 1 on .$(hostname)." out || { cat out; fail "not told by whom"; }
  # An option that one rank alone is given; data that one alone lacks.
  OTHER="${small[*]} --nonsense" ends 2 "no option \`--nonsense\`" "$family" ./rank.sh train "${small[@]}" --steps 3
  grep -q "reported by rank 1 on .$(hostname)." out || { cat out; fail "not told by whom"; }
  printf 'dim batch = 4, d = 3\ndata s = npy("x.npy", holdout=0)\ninput x[batch, d] from s.data\nparam w[d] = 1\nloss mean((x * w)^2)\n' >npy.mtf
  echo 'train { optimizer = sgd(lr=0.1)  steps = 2 }' >>npy.mtf
  mkdir -p rank0 rank1 && cp npy.mtf rank0 && cp npy.mtf rank1
  printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 3), }" >rank0/x.npy
  head -c 96 /dev/zero >>rank0/x.npy
  APART=yes ends 3 "(rank 1 on \`$(hostname)\`; other ranks did not fail)" \
    "$family" ./rank.sh train npy.mtf --mesh a:2 --rules batch:a
  # What is not a number begins on rank 1; rank 0 says where.
  printf '%s\n' x 1 2 3 4 >rows.csv
  printf '%s\n' 'dim batch = 2' 'data f = csv("rows.csv", holdout=0)' 'input x[batch] from f.x' 'param w[] = 1' \
    'loss mean(w * log(x - 9 * f32(index(batch))) ^ 2)' 'train { optimizer = sgd(lr=0.1)  steps = 2 }' >root.mtf
  ends 6 'root.mtf:5:15' "$family" "$MTFC" train root.mtf --mesh a:2 --rules batch:a -j 1
  # Rank 0 alone has the standard input.
  ends 2 "launchers give to rank 0 alone" "$family" "$MTFC" train - "${small[@]:1}" <"$TREE/models/mnist.mtf"
  # A library that another version of mtfc left.
  [ -e other.so ] || echo 'void* mtfc_open_network(void) { return 0; }' | ${CC:-cc} -shared -fPIC -x c - -o other.so
  (export MTFC_MPI=$PWD/other.so; ends "" "is of another version of mtfc" "$family" "$MTFC" train "${small[@]}")
  # Data that some rank can no longer read in the middle of the run: a file that gets shorter.
  /usr/bin/python3 -c 'import sys; sys.stdout.buffer.write(bytes(400000))' >ids
  cat >t.mtf <<'M'
dim batch = 4, length = 1000, vocab = 20
data text = tokens("ids", holdout=0)
input tok[batch, length]: int from text.window
input nxt[batch, length]: int from text.window_next
param table[vocab, vocab'] ~ normal(0.1)
logits = table[vocab = tok][vocab' -> vocab]
loss mean(cross_entropy(logits, nxt over vocab))
train { optimizer = sgd(lr=0.5)  steps = 1000000 }
M
  (
    for i in $(seq 100); do [ -s cut.log ] && break; sleep 0.1; done
    truncate -s 300000 ids
  ) &
  ends 3 "has become shorter" "$family" "$MTFC" train t.mtf --mesh a:2 --rules batch:a -j 1 --log cut.log
  wait
  rm -f cut.log
done
exit $failed
