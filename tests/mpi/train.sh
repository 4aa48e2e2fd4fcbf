#!/usr/bin/env bash
# mpirun mtfc train: the bits of the simulated mesh (in scripts/nightly on every MPI implementation that is installed);
# and what ranks say that do not fit together.
. "$(dirname "$0")/lib.sh" openmpi

same_bits() {  # same_bits NAME RANKS ARGUMENTS...
  local name=$1 ranks=$2
  shift 2
  "$MTFC" train "$@" --log "$folder/$name.simulated" >/dev/null 2>"$folder/err" ||
    { cat "$folder/err"; fail "$name on the simulated mesh"; return; }
  for family in "${families[@]}"; do
    run "$family" "$ranks" "$MTFC" train "$@" --log "$folder/$name.$family" >/dev/null \
      2>"$folder/err" || { cat "$folder/err"; fail "$name with $family"; continue; }
    cmp -s <(losses "$folder/$name.simulated") <(losses "$folder/$name.$family") ||
      fail "$name: other losses with $family"
  done
}
L=$TREE/models/layouts
same_bits one 1 "$TREE/models/two_layer.mtf" --steps 3
same_bits dp_mp 4 "$TREE/models/two_layer.mtf" --layout "$L/two_layer/dp_mp.layout" --steps 3
same_bits mnist 2 "$TREE/models/mnist.mtf" --mesh "rows:2" --rules "batch:rows" --steps 3 \
  -D batch=20 --set "data.digits=digits(seed=1, count=200, eval_count=40)"

# The same where ranks, or one of them, cannot reach each other's memory; and they do where they can.
MTFC_SHARED_MEMORY=off same_bits apart 2 "$TREE/models/mnist.mtf" --mesh "rows:2" --rules "batch:rows" --steps 3 \
  -D batch=20 --set "data.digits=digits(seed=1, count=200, eval_count=40)"
cat >"$folder/rank_0_off" <<'R'
#!/bin/bash
case "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" in 0) export MTFC_SHARED_MEMORY=off ;; esac
exec "$PROGRAM" "$@"
R
chmod +x "$folder/rank_0_off"
PROGRAM=$MTFC MTFC="$folder/rank_0_off" same_bits one_apart 2 "$TREE/models/mnist.mtf" --mesh "rows:2" \
  --rules "batch:rows" --steps 3 -D batch=20 --set "data.digits=digits(seed=1, count=200, eval_count=40)"
# Whether one of the processes with this word in their command lines has mapped an arena of another one.
cat >"$folder/maps_another" <<'P'
import glob, os, re, sys
def links(pid):
    for link in glob.glob(f"/proc/{pid}/fd/*"):
        try:
            if os.readlink(link).startswith("/memfd:mtfc"): yield os.stat(link).st_ino
        except OSError: pass
own, mapped = {}, {}
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        words = open(f"/proc/{pid}/cmdline").read().split("\0")
        if sys.argv[1] in words and os.path.basename(words[0]) == "mtfc":
            own[pid] = set(links(pid))
            mapped[pid] = {int(line.split()[4]) for line in open(f"/proc/{pid}/maps") if "/memfd:mtfc" in line
                           and int(line.split()[0].split("-")[1], 16) - int(line.split()[0].split("-")[0], 16) > 4096}
    except OSError: pass
sys.exit(not any(own[a] & mapped[b] for a in own for b in own if a != b))
P
many=$((1000000 + $$))
for family in "${families[@]}"; do
  [ "$(ulimit -v) $(ulimit -f)" = "unlimited unlimited" ] || break  # then they do not
  run "$family" 2 "$MTFC" train "$TREE/models/mnist.mtf" --mesh "rows:2" --rules "batch:rows" --steps $many \
    >/dev/null 2>&1 &
  reached=no
  for _ in $(seq 200); do
    /usr/bin/python3 "$folder/maps_another" $many && { reached=yes; break; }
    sleep 0.1
  done
  pkill -KILL -f -- "--steps $many"
  wait
  [ $reached = yes ] || fail "ranks of $family do not share memory"
done

# What is dumped is written once, by the rank that has it.
"$MTFC" train "$TREE/models/two_layer.mtf" --steps 1 --dump-tensors "$folder/alone.npz" >/dev/null 2>&1
for family in "${families[@]}"; do
  run "$family" 2 "$MTFC" train "$TREE/models/two_layer.mtf" --mesh "rows:2" --rules "batch:rows" \
    --steps 1 --dump-tensors "$folder/ranks.npz" >/dev/null 2>&1
  /usr/bin/python3 -c 'import sys, zipfile
a, b = (zipfile.ZipFile(f).namelist() for f in sys.argv[1:])
assert a and a == b, (a, b)' "$folder/alone.npz" "$folder/ranks.npz" || fail "dump with $family"
done

# Sizes that ranks do not divide: shards that end with padding, or have nothing else.
same_bits uneven 4 "$TREE/tests/cli/uneven.mtf" --mesh "a:4" --rules "batch:a"
same_bits empty 8 "$TREE/tests/cli/uneven.mtf" --mesh "a:8" --rules "batch:a;param \"**\" { d:a }" \
  --set train.microbatches=2
same_bits heads 6 "$TREE/tests/cli/uneven.mtf" --mesh "a:2;b:3" \
  --rules "heads:a;vocab:a;length:b;row:b;set update=sharded"

# Axes exchanged among two and three dimensions: whoever receives from one sends to another.
cat >"$folder/exchanged.mtf" <<'MODEL'
dim a = 8, b = 8, c = 8, batch = 16
input x[batch, a] from gaussian(seed=1)
param w[a, b, c] ~ normal(0.3)
t = tanh(w)[a -> b, b -> c, c -> a]
y = einsum(x, t * w[a -> b, b -> a] over a)
loss mean(y ^ 2)
train { optimizer = sgd(lr=0.1)  steps = 3 }
MODEL
same_bits exchanged 8 "$folder/exchanged.mtf" --mesh "p:2;q:2;r:2" --rules "a:p;b:q;c:r"

# Sums axis by axis; more than a bucket of small ones, of several dimensions, async; in bf16.
cat >"$folder/sharded.mtf" <<'MODEL'
use "nn.mtf"
dim batch = 8, length = 4, io = 24, hidden = 120, classes = 8, layers = 20
input x[batch, length, io] from gaussian(seed=1)
input y[batch, length]: int from gaussian_labels(seed=2, classes=classes)
h = relu(dense@a(x over io -> hidden))
repeat layers { h = h + dense@b(layer_norm@n(h over hidden) over hidden -> hidden) }
loss mean(cross_entropy(dense@c(h over hidden -> classes), y over classes))
train { optimizer = lamb(lr=0.01)  steps = 2  clip = 0.5  update = sharded }
MODEL
same_bits sharded 4 "$folder/sharded.mtf" --mesh "p:2;q:2" --rules "batch:p;length:q"
printf 'mesh p=4\nbatch:p\nset wire=bf16\n' >"$folder/narrow.layout"
same_bits narrow 4 "$folder/sharded.mtf" --layout "$folder/narrow.layout"

# Runs go on from checkpoints of other launches: the same log as a whole run on the simulated mesh.
in_parts() {  # in_parts NAME RANKS ARGUMENTS...
  local name=$1 ranks=$2 part
  shift 2
  "$MTFC" train "$@" --steps 9 -o "$folder/$name" >/dev/null 2>&1 || fail "$name: a whole run"
  for family in "${families[@]}"; do
    part=$folder/$name.$family
    run "$family" "$ranks" "$MTFC" train "$@" --steps 3 -o "$part" >/dev/null 2>&1 || fail "$name: saving with $family"
    "$MTFC" train "$@" --steps 6 --resume "$part" >/dev/null 2>&1 || fail "$name: resuming on the simulated mesh"
    run "$family" "$ranks" "$MTFC" train "$@" --steps 9 --resume "$part" >/dev/null 2>"$folder/err" ||
      { cat "$folder/err"; fail "$name: resuming with $family"; }
    # Evaluations followed the ends of the parts, too.
    cmp -s <(losses "$folder/$name/log.jsonl") <(losses "$part/log.jsonl" | sed -E '/"step":[36],"eval/d') ||
      { losses "$part/log.jsonl"; fail "$name: another log in parts with $family"; }
  done
}
two_layer=("$TREE/models/two_layer.mtf" --set "train.optimizer=adam(lr=0.01)")
in_parts adam 4 "${two_layer[@]}" --layout "$L/two_layer/dp_mp.layout" -D batch=8 -D io=16 -D hidden=8
# Three replicas share what three does not divide; its padding stays out of checkpoints.
for form in one_file sharded; do
  in_parts "padded_$form" 3 "${two_layer[@]}" --mesh "a:3" --rules "batch:a" --set train.update=sharded \
    --set "train.checkpoint=$form" -D batch=9 -D io=10 -D hidden=7
done

says() {  # says STATUS TEXT FAMILY RANKS COMMAND...: this status, and the text exactly once
  local status=$1 text=$2 got
  shift 2
  run "$@" >"$folder/out" 2>&1
  got=$?
  [ "$got" = "$status" ] || fail "status $got instead of $status: $*"
  [ "$(grep -cF "$text" "$folder/out")" = 1 ] || { cat "$folder/out"; fail "not once: $text"; }
}
cat >"$folder/differ.sh" <<'SCRIPT'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ] && set -- "$1" "$2" "$3"
exec "$MTFC" train "$@" --mesh a:2 --rules batch:a --steps 2
SCRIPT
chmod +x "$folder/differ.sh"
cat >"$folder/missing.sh" <<'SCRIPT'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ] && set -- /no/such/model.mtf
exec "$MTFC" train "$1" --mesh a:2 --rules batch:a --steps 2
SCRIPT
chmod +x "$folder/missing.sh"
export MTFC
# What only some ranks can read is told by the one that cannot.
cat >"$folder/no_data.sh" <<'SCRIPT'
#!/bin/sh
mkdir -p "rank${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" && cd "rank${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" || exit 9
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ] || yes "a line of text" | head -n 400 >input.txt
exec "$MTFC" "$1" "$TREE/models/gpt.mtf" --set data.text=input.txt --mesh a:2 --rules batch:a --steps 2
SCRIPT
chmod +x "$folder/no_data.sh"
export TREE
cd "$folder" || exit 1
two=$TREE/models/two_layer.mtf
for family in "${families[@]}"; do
  says 2 "4 processors, but there are 3 ranks" "$family" 3 "$MTFC" train "$two" \
    --layout "$L/two_layer/dp_mp.layout" --steps 2
  says 2 "cannot read" "$family" 2 "$folder/missing.sh" "$two"
  for command in train verify; do
    says 3 "cannot read" "$family" 2 "$folder/no_data.sh" "$command"
  done
  run "$family" 4 "$MTFC" verify "$two" --layout "$L/two_layer/dp_mp.layout" -D io=64 -D hidden=32 --steps 2 >/dev/null \
    2>"$folder/err" || { cat "$folder/err"; fail "verify with $family"; }
  says 3 "do not run the same program" "$family" 2 "$folder/differ.sh" "$two" \
    --seed 1 --set train.optimizer.lr=0.25
done
exit $failed
