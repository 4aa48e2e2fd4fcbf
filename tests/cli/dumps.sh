# Dumps of all passes are resumed from; damaged ones are refused, or run, and never end otherwise.
. "$(dirname "$0")/lib.sh"
cp "$TREE/tests/cli/dumps.mtf" m.mtf
passes="split-batch mark-scopes sum-losses differentiate-step split-programs expand-composites pad-dims
  blockwise share-operations assign-shardings shard-update lower share-moves gather-again gather-reduce scatter-reductions
  compress-gradients fold-casts batch-updates bucket-collectives fuse-maps overlap-sums library-reductions"
meshed=(--mesh "a:2;b:2" --rules "batch:a;d:b" -j 1)

# case_of NAME MUTANTS COMMAND...: dumps of all passes as they are, and of every third one damaged. By day those of all
# passes are of `train`; the thirds are others from case to case.
number=0
case_of() {
  local name=$1 mutants=$2
  shift 2
  nightly || mutants=$((mutants / 2))
  local damaged=()
  for pass in $passes; do
    number=$((number + 1))
    nightly || [ $name = train ] || [ $((number % 3)) = 0 ] || continue
    expect 0 "$@" --dump-after "$pass"
    cp out "$name.$pass.dump"
    expect 0 "$@" --start-from "$name.$pass.dump"
    [ $((number % 3)) = 0 ] && damaged+=("$name.$pass.dump:$((1000 * number)):$((1000 * number + mutants))")
  done
  /usr/bin/python3 "$TREE/tests/tools/dump_mutants.py" "${damaged[@]}" -- "$MTFC" "$@" >said ||
    { cat said; fail "$name, damaged dumps"; }
}
case_of train 12 train m.mtf "${meshed[@]}" --steps 1
case_of micro 12 train m.mtf --mesh "a:2;b:2" --rules "batch:a;vocab:b" -j 1 --steps 1 --set train.microbatches=2
case_of uneven 6 train m.mtf --mesh "a:3;b:2" --rules "batch:a;d:b" -j 1 --steps 1
case_of run 6 run m.mtf l "${meshed[@]}"
case_of json 6 emit m.mtf --backend json --mesh "a:2;b:2" --rules "batch:a;d:b"

# Another seed, another setting that is in the programs; without its last line a dump says nothing of them.
for other in "--seed 4" "--set train.precision=bf16"; do
  # shellcheck disable=SC2086
  expect 2 train m.mtf "${meshed[@]}" --steps 1 --start-from train.lower.dump $other
  says err "is not one of this model and command"
done
sed '$d' train.lower.dump >bare.dump
expect 0 train m.mtf "${meshed[@]}" --steps 1 --start-from bare.dump --seed 4

# A pass that does not run after the dump.
for pass in split-batch lower; do
  expect 2 train m.mtf "${meshed[@]}" --start-from train.lower.dump --dump-after $pass
  says err "\`$pass\` does not run after that"
done

# What a dump must have for this model and this command.
lacks() { # lacks TEXT PASS SED
  sed -E "$3" "train.$2.dump" >damaged.dump
  cmp -s "train.$2.dump" damaged.dump && fail "$3 changes nothing"
  expect 2 train m.mtf "${meshed[@]}" --steps 1 --start-from damaged.dump
  says err "$1"
}
lacks "it lacks program init" lower 's/^program init /program begin /'
lacks "it lacks program eval: feed" lower 's/feed name="run.examples"/feed name="exampled"/'
lacks "it lacks program init: write \`m\`" lower '/^  write .* variable="m"/d'
lacks "it lacks input \`tok\`" lower '/^input "tok"/d'
lacks "it lacks mesh a=2 b=2" lower 's/^mesh .*/mesh a=2 b=4/'
lacks "it lacks graph train: loss" sum-losses '/^graph train /,/^}/s/^  loss "loss"/  metric "loss"/'
lacks "is not one of those that were read" lower 's/  @ 0:/  @ 9:/'
lacks "wrong resulting type" lower 's/^(  %[0-9.a-z]*: )f32(.* = reduce .*combine=sum)/\1int\2/'
expect 2 train m.mtf "${meshed[@]}" --steps 1 --start-from run.lower.dump
says err "is not one of this model and command"
done_testing
