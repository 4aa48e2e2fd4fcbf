#!/usr/bin/env bash
# An emitted program of which a rank is killed, or has no memory: the others end within 30 s, one message says why, and
# the last checkpoint is whole: the run goes on from it to the losses of one that was never interrupted.
. "${TREE:?the source tree}/tests/emit/lib.sh"
needs_mpi
cmake_options=(-DMTFC_RUNTIME="$(dirname "$mtfc")" -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-Werror)
model=("$TREE/models/mnist.mtf" -D batch=20 -D hidden1=16 -D hidden2=16 --set train.checkpoint_every=1
  --set "data.digits=digits(seed=1, count=200, eval_count=20)" --mesh a:2 --rules batch:a)
build killed "${model[@]}"
# The ranks leave their process ids; rank 1 has so much memory as LIMIT says (in KiB).
cat >"$work/rank.sh" <<'R'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
echo $$ >"$0.$rank"
[ "$rank" != 1 ] || [ -z "${LIMIT:-}" ] || ulimit -v "$LIMIT"
exec "$@"
R
chmod +x "$work/rank.sh"
one_message() { # one_message TEXT: exactly one, and it says this
  test "$(grep -c '^error' "$work/err")" -eq 1 && grep -q "^error: .*$1" "$work/err" || { cat "$work/err"; exit 1; }
}

forms=one_file  # tests/mpi/kills.sh has both
! nightly || forms="one_file sharded"
for form in $forms; do
  victim=$([ $form = one_file ] && echo 1 || echo 0)
  # The form is a word of the emitted plan.
  if ! grep -q "CheckpointForm::$form" "$work/program/main.cpp"; then
    sed -i -E "s/CheckpointForm::[a-z_]+/CheckpointForm::$form/" "$work/program/main.cpp"
    cmake --build "$work/build" >>"$work/killed.out" 2>&1
  fi
  rm -rf "$work/run"
  (
    for ((i = 0; i < 400; ++i)); do ls "$work/run/checkpoints" 2>/dev/null | grep -qE '^step-0*([3-9]|[1-9][0-9]+)(\.safetensors)?$' && break; sleep 0.05; done
    kill -KILL "$(cat "$work/rank.sh.$victim")"
  ) &
  status=0
  timeout 30 mpirun --oversubscribe -n 2 "$work/rank.sh" "$work/build/program" --steps 1000000 --threads 1 \
    --out "$work/run" >"$work/log" 2>"$work/err" || status=$?
  wait
  test $status -ne 0 && test $status -ne 124 || { echo "$form: status $status"; cat "$work/err"; exit 1; }
  one_message "rank $victim of 2 is gone"
  newest=0
  for saved in "$work"/run/checkpoints/step-*; do
    case $saved in *.writing-*) continue ;; esac
    /usr/bin/python3 "$TREE/tests/mpi/tensors.py" "$saved"
    newest=$(basename "$saved" .safetensors)
    newest=$((10#${newest#step-}))
  done
  test "$newest" -ge 3 || { echo "$form: the newest checkpoint is of step $newest"; exit 1; }
  ranks 2 "$work/build/program" --resume "$work/run" --steps $((newest + 2)) --quiet >"$work/log"
  test -e "$work/run/checkpoints/$(printf 'step-%08d' $((newest + 2)))$([ $form = sharded ] || echo .safetensors)"
  "$mtfc" train "${model[@]}" --steps $((newest + 2)) --log "$work/reference" >/dev/null 2>&1
  diff <(plain "$work/reference" | tail -n 3) <(plain "$work/log" | tail -n 3)
done

# Rank 1 with another option, a wrong one, or another program: all end before the first step.
cat >"$work/other.sh" <<'R'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ] && exec $OTHER
exec "$@"
R
chmod +x "$work/other.sh"
refused() { # refused STATUS TEXT OTHER: rank 1 runs OTHER
  local status=0
  OTHER=$3 timeout 30 mpirun --oversubscribe -n 2 "$work/other.sh" "$work/build/program" --steps 3 --threads 1 \
    >"$work/log" 2>"$work/err" || status=$?
  test $status -eq "$1" || { cat "$work/err"; exit 1; }
  one_message "$2"
  ! grep -q '"step"' "$work/log"
}
cp "$work/build/program" "$work/same"
refused 3 "\`train.steps\` is 4, not 3 as on rank 0" "$work/same --steps 4 --threads 1"
refused 3 "\`--log\` is given, not absent as on rank 0" "$work/same --steps 3 --threads 1 --log $work/other.log"
refused 2 "unknown option" "$work/same --nonsense 3"
refused 2 "needs a number from 1" "$work/same --steps 3 --threads none"
# Options are judged before the number of ranks.
alone() { # alone STATUS TEXT OPTION...
  local status=0
  "$work/build/program" "${@:3}" >"$work/log" 2>&1 || status=$?
  test $status -eq "$1" && grep -qF -- "$2" "$work/log" || { cat "$work/log"; exit 1; }
}
alone 0 "usage: PROGRAM" --help
alone 2 "unknown option" --nonsense 3
alone 2 "is not a number of steps" --steps=x
alone 2 "needs a number from 1 to 65536" --threads=100000
# Of another program it is the digest that differs, a word of what is compiled.
digest=$(sed -nE 's/.*\.digest = "([0-9a-f]+)".*/\1/p' "$work/program/main.cpp")
LC_ALL=C sed -i "s/$digest/$(echo "$digest" | rev)/" "$work/same"
! cmp -s "$work/same" "$work/build/program"
refused 3 "rank 1 on .*: the emitted program is" "$work/same --steps 3 --threads 1"

# A model of 512 MiB, for which one rank has no memory: in scripts/nightly, another program to compile.
nightly || exit 0
build poor "$TREE/models/two_layer.mtf" -D batch=8 -D io=8000 -D hidden=8000 --mesh a:2 --rules batch:a
status=0
LIMIT=450000 timeout 30 mpirun --oversubscribe -n 2 "$work/rank.sh" "$work/build/program" --steps 1 --threads 1 \
  >"$work/log" 2>"$work/err" || status=$?
test $status -eq 4 || { echo "no memory: status $status"; cat "$work/err"; exit 1; }
one_message "not enough memory"
