#!/usr/bin/env bash
# [RANKS=4] [HOSTS=2] [ALONE=1] tests/bench/kills.sh MTFC [RUNS]: runs in which a rank is killed at a random moment, on both
# MPI implementations (ALONE: one process without any) and with both forms of checkpoints. No run hangs, no checkpoint is damaged, every
# run that had a checkpoint resumes from it to the very losses of a run that was never interrupted.
# Moments are shares of the time that an undisturbed run of the same kind took: from its start, and,
# every other time, from its first checkpoint, so that a slow build or a busy machine is tested in
# the same places and enough kills fall where there is a checkpoint to resume from.
MTFC=$(realpath "$1") RUNS=${2:-100} SEED=${SEED:-$RANDOM}
TREE=$(realpath "$(dirname "$0")/../..")
. "$TREE/tests/mpi/lib.sh" all
launcher=start
[ "${HOSTS:-1}" = 1 ] || { . "$TREE/tests/mpi/hosts_lib.sh"; launcher=start_on_both; }
RANDOM=$SEED
ranks=${RANKS:-2}  # 2 or 4
processes=$ranks
alone() { shift 2; exec "$@"; }
[ -z "${ALONE:-}" ] || families=(alone) launcher=alone processes=1
most=30  # seconds that survivors may take
model=("$TREE/models/mnist.mtf" -D batch=20 -D hidden1=32 -D hidden2=32 --set train.checkpoint_every=1
  --set "data.digits=digits(seed=1, count=200, eval_count=20)" --mesh "a:2,b:$((ranks / 2))" --rules "batch:a hidden1:b"
  --steps 30 -j 1)

now() { date +%s.%N; }
since() { /usr/bin/python3 -c "print($(now) - $1)"; }
# The ranks leave their process ids, so that any of them can be killed.
cat >rank.sh <<'R'
#!/bin/sh
echo $$ >"$1.${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}"
shift
exec "$@"
R
chmod +x rank.sh
launch() { $launcher "$1" $ranks ./rank.sh "$2" "$MTFC" train "${@:3}"; }  # becomes the launcher
saved() {  # whether a run has a whole checkpoint
  ls -d "$1"/checkpoints/step-* 2>/dev/null | grep -qv writing
}
wait_for_saved() {  # wait_for_saved RUN LAUNCHER: until then, or until the launcher ends
  while ! saved "$1" && kill -0 "$2" 2>/dev/null; do sleep 0.02; done
}
alive() {  # how many ranks of a run live
  local count=0 file
  for file in "$1".[0-9]; do kill -0 "$(cat "$file")" 2>/dev/null && count=$((count + 1)); done
  echo $count
}

"$MTFC" train "${model[@]}" -o reference >/dev/null 2>err || { cat err; fail "the reference"; exit 1; }
losses reference/log.jsonl >reference.log
declare -A seconds rest  # of a whole run, and of what follows its first checkpoint
for family in "${families[@]}"; do
  for form in one_file sharded; do
    started=$(now)
    launch "$family" first "${model[@]}" --set train.checkpoint=$form -o first >/dev/null 2>err &
    wait_for_saved first $!
    saving=$(now)
    wait $! || { cat err; fail "undisturbed"; exit 1; }
    seconds[$family.$form]=$(since "$started")
    rest[$family.$form]=$(since "$saving")
    cmp -s reference.log <(losses first/log.jsonl) || fail "an undisturbed run has other losses"
    rm -rf first*
  done
done

killed=0 early=0 late=0 told=0 slowest=0 number=0
while [ $killed -lt "$RUNS" ] && [ $failed = 0 ] && [ $number -lt $((3 * RUNS + 10)) ]; do
  number=$((number + 1))
  family=${families[$((number % ${#families[@]}))]}
  form=$([ $((number / ${#families[@]} % 2)) = 0 ] && echo one_file || echo sharded)
  victim=$((RANDOM % processes))
  if [ $((number / ${#families[@]} / 2 % 2)) = 0 ]; then
    from=start moment=$(/usr/bin/python3 -c "print(${seconds[$family.$form]} * (0.2 + 0.8 * $RANDOM / 32768))")
  else
    from=checkpoint moment=$(/usr/bin/python3 -c "print(${rest[$family.$form]} * 0.8 * $RANDOM / 32768)")
  fi
  what="run $number ($family, $form, rank $victim $moment s after the $from, SEED=$SEED)"
  rm -rf out out.*
  launch "$family" out "${model[@]}" --set train.checkpoint=$form -o out >/dev/null 2>err &
  running=$!
  [ $from = start ] || wait_for_saved out $running
  sleep "$moment"
  [ -e out.$victim ] && kill -KILL "$(cat out.$victim)" 2>/dev/null || { early=$((early + 1)); wait $running; continue; }
  started=$(now)
  ( sleep $most; kill -KILL $running 2>/dev/null ) &
  guard=$!
  wait $running
  status=$?
  while [ "$(alive out)" -gt 0 ] && [ "$(/usr/bin/python3 -c "print(int($(since "$started") < $most))")" = 1 ]; do sleep 0.05; done
  took=$(since "$started")
  kill $guard 2>/dev/null
  wait $guard 2>/dev/null
  [ "$(alive out)" = 0 ] || fail "$what: ranks live after $most s"
  /usr/bin/python3 -c "import sys; sys.exit($took >= $most)" || fail "$what: took $took s to end"
  slowest=$(/usr/bin/python3 -c "print(max($slowest, $took))")
  if cmp -s reference.log <(losses out/log.jsonl 2>/dev/null) && ! grep -q "is gone" err; then late=$((late + 1)); continue; fi
  [ $status != 0 ] || fail "$what: status 0"
  words=$(grep -c "is gone" err)
  [ "$words" -le 1 ] || { cat err; fail "$what: told $words times"; }
  told=$((told + words))
  # MPICH's launcher may be faster than our message; before the run began nobody watched.
  [ "$family" != openmpi ] || [ "$words" = 1 ] || ! grep -q "^training" err || { cat err; fail "$what: not told"; }
  saved out || { early=$((early + 1)); continue; }
  for saved in out/checkpoints/step-*; do
    case $saved in *.writing-*) continue ;; esac
    /usr/bin/python3 "$TREE/tests/mpi/tensors.py" "$saved" || fail "$what: $saved is damaged"
  done
  (launch "$family" out --resume out "${model[@]:1}") >/dev/null 2>err || { cat err; fail "$what: is not resumed"; }
  cmp -s reference.log <(losses out/log.jsonl) || { diff reference.log <(losses out/log.jsonl); fail "$what: resumes to other losses"; }
  [ -z "$(ls out/checkpoints | grep writing)" ] || fail "$what: leaves $(ls out/checkpoints)"
  killed=$((killed + 1))
  [ $((killed % 10)) != 0 ] || echo "$killed killed and resumed"
done
[ $killed -ge "$RUNS" ] || fail "only $killed kills fell where a run could be resumed"
echo "$killed runs killed and resumed, $early before the first checkpoint, $late after the end; told $told times; the slowest ended after $slowest s (SEED=$SEED)"
exit $failed
