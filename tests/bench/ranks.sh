#!/usr/bin/env bash
# tests/bench/ranks.sh MTFC [ROUNDS]: how much faster two ranks of one thread each train the MNIST network
# with batches of 1000 than one rank of one thread. The two are measured alternately, so that a busy
# machine disturbs both; printed are medians and the fastest steps, in ms, of all rounds together, and
# their ratios. Two ranks need two processors at the same time: on a busy machine only the fastest
# steps say something. What the machine has to give is what two programs of half the batch each reach
# side by side that never talk to each other; of each pair of steps the longer one counts.
MTFC=$(realpath "$1") ROUNDS=${2:-5}
TREE=$(realpath "$(dirname "$0")/../..")
. "$TREE/tests/mpi/lib.sh" all
model=("$TREE/models/mnist.mtf" -D batch=1000 --steps 40 -j 1)
split=(--mesh "a:2" --rules "batch:a")
for round in $(seq "$ROUNDS"); do
  for side in left right; do
    "$MTFC" train "${model[@]}" -D batch=500 --log "apart.$round.$side" >/dev/null 2>&1 &
  done
  wait
  for family in "${families[@]}"; do
    run "$family" 1 "$MTFC" train "${model[@]}" --log "$family.1.$round" >/dev/null 2>err || { cat err; fail "one rank"; }
    run "$family" 2 "$MTFC" train "${model[@]}" "${split[@]}" --log "$family.2.$round" >/dev/null 2>err ||
      { cat err; fail "two ranks"; }
    run "$family" 2 "$MTFC" train "${model[@]}" "${split[@]}" --set train.update=sharded \
      --log "$family.s.$round" >/dev/null 2>err || { cat err; fail "two ranks, sharded update"; }
  done
done
/usr/bin/python3 - "${families[@]}" <<'P'
import glob, json, statistics, sys
def run(path):
    lines = [json.loads(line) for line in open(path)]
    return [1000 * l["seconds"] for l in lines if "seconds" in l][3:]
def steps(pattern):
    all = []
    for path in glob.glob(pattern):
        other = path.replace("left", "right")  # the same path, unless it is one of two that never talk
        all += [max(pair) for pair in zip(run(path), run(other))]
    return statistics.median(all), min(all)
for family in sys.argv[1:]:
    one = steps(family + ".1.*")
    print("%-8s one rank               median %6.1f  fastest %6.1f" % (family, *one))
    for kind, name in ("2", "two ranks"), ("s", "two, update = sharded"), ("apart", "two that never talk"):
        two = steps("apart.*.left" if kind == "apart" else family + "." + kind + ".*")
        print("%-8s %-22s median %6.1f  fastest %6.1f  times as fast: %.2f, %.2f" % (
            family, name, *two, one[0] / two[0], one[1] / two[1]))
P
exit $failed
