#!/usr/bin/env bash
# Two machines, of which each has half of the ranks. They train to the bits of the simulated mesh; when a rank of
# either is killed, or a machine goes, all ranks of both end, one message says why, and the run goes on from its
# checkpoint.
. "$(dirname "$0")/lib.sh" openmpi
. "$(dirname "$0")/hosts_lib.sh"
model=("$TREE/models/mnist.mtf" -D batch=20 -D hidden1=32 -D hidden2=32 --set train.checkpoint_every=1 -j 1
  --set "data.digits=digits(seed=1, count=200, eval_count=20)")
four=(--mesh a:2,b:2 --rules "batch:a hidden1:b")
cat >rank.sh <<'R'
#!/bin/sh
echo $$ >"rank.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
exec "$@"
R
cat >poor.sh <<'R'
#!/bin/sh
ulimit -v 450000
exec "$MTFC" "$@"
R
chmod +x rank.sh poor.sh

all_end() {  # within 30 s
  for _ in $(seq 300); do
    for file in rank.[0-9]; do kill -0 "$(cat "$file")" 2>/dev/null && sleep 0.1 && continue 2; done
    return 0
  done
  return 1
}
# ends_after FAMILY RANKS WHAT HOW...: a run of which a rank or a machine is lost after its first checkpoint.
ends_after() {
  local family=$1 ranks=$2 what="$1, $2 ranks, $3" rules=("${four[@]}")
  [ "$ranks" = 4 ] || rules=(--mesh a:2 --rules batch:a)
  rm -rf out rank.[0-9]
  start_on_both "$family" "$ranks" "$PWD/rank.sh" "$MTFC" train "${model[@]}" "${rules[@]}" --steps 100000 \
    -o "$PWD/out" >/dev/null 2>err &
  while [ -z "$(ls out/checkpoints 2>/dev/null | grep -v writing)" ] && kill -0 $! 2>/dev/null; do sleep 0.1; done
  "${@:4}"
  wait $! && fail "$what: status 0"
  all_end || fail "$what: ranks live after 30 s"
  local told=$(grep -c "is gone" err)
  # The launcher may be faster than our message.
  [ "$told" = 1 ] || [ "$told$family" = 0mpich ] || { [ "$told" = 0 ] && grep -q "ORTE has lost" err; } || { cat err; fail "$what: told $told times"; }
  /usr/bin/python3 "$TREE/tests/mpi/tensors.py" "$(ls -d out/checkpoints/step-* | grep -v writing | tail -n 1)" ||
    fail "$what: a damaged checkpoint"
}
kill_rank() { kill -KILL "$(cat "rank.$1")"; }

"$MTFC" train "${model[@]}" "${four[@]}" --steps 3 -o one >/dev/null 2>err || { cat err; fail "the simulated mesh"; }
for family in "${families[@]}"; do
  rm -rf two
  run_on_both "$family" 4 "$MTFC" train "${model[@]}" "${four[@]}" --steps 3 -o "$PWD/two" >/dev/null 2>err ||
    { cat err; fail "$family: two machines"; }
  cmp -s <(losses one/log.jsonl) <(losses two/log.jsonl) || fail "$family: two machines have other losses"
  /usr/bin/python3 "$TREE/tests/mpi/tensors.py" {one,two}/checkpoints/step-00000003.safetensors ||
    fail "$family: two machines save something else"
  ends_after "$family" 2 "rank 0" kill_rank 0
  ends_after "$family" 2 "rank 1" kill_rank 1
  ends_after "$family" 4 "rank 3" kill_rank 3
  grep -q "rank 3 of 4 is gone" err || [ "$family" = mpich ] || { cat err; fail "$family: not rank 3"; }
  ends_after "$family" 4 "the second machine" power_off 2
  # All ranks of both machines run out of memory: one says so.
  run_on_both "$family" 4 "$PWD/poor.sh" train "$TREE/models/two_layer.mtf" -D batch=8 -D io=8000 -D hidden=8000 \
    --mesh a:4 --rules batch:a --steps 1 -j 1 >poor 2>&1 && fail "$family: memory that is not there"
  [ "$(grep -c "^error.*not enough memory" poor)$(grep -c "^error" poor)" = 11 ] || { cat poor; fail "$family: not told once"; }
  steps=$(($(losses out/log.jsonl | tail -n 1 | sed 's/.*"step"://; s/[^0-9].*//') + 5))
  "$MTFC" train --resume out "${model[@]:1}" "${four[@]}" --steps $steps >/dev/null 2>err || { cat err; fail "$family: does not go on"; }
done
exit $failed
