#!/usr/bin/env bash
# tests/bench/cable.sh MTFC OTHER [ROUNDS]: a training step of the MNIST network (batch 1000, one thread a rank) on
# two machines that a cable of some rate connects (tests/mpi/hosts_lib.sh), with two builds of mtfc alternately, in
# ms. The network's own work is done by the ranks' processors, which therefore yield while they wait.
MTFC=$(realpath "$1") OTHER=$(realpath "$2") ROUNDS=${3:-4}
TREE=$(realpath "$(dirname "$0")/../..")
. "$TREE/tests/mpi/lib.sh" all
. "$TREE/tests/mpi/hosts_lib.sh"
export OMPI_MCA_mpi_yield_when_idle=1
run_on() {  # run_on PROGRAM LOG
  run_on_both openmpi 2 "$1" train "$TREE/models/mnist.mtf" -D batch=1000 --steps 40 -j 1 --mesh a:2 --rules batch:a \
    --log "$PWD/$2" >/dev/null 2>err || { cat err; fail "$2"; }
}
for speed in 10gbit 1gbit 500mbit; do
  rate $speed
  for round in $(seq "$ROUNDS"); do
    run_on "$MTFC" "$speed.mtfc.$round"
    run_on "$OTHER" "$speed.other.$round"
  done
  /usr/bin/python3 - $speed <<'P'
import glob, json, statistics, sys
def steps(kind):
    all = []
    for path in glob.glob("%s.%s.*" % (sys.argv[1], kind)):
        all += [1000 * json.loads(line)["seconds"] for line in open(path) if '"seconds"' in line][3:]
    return statistics.median(all), min(all)
one, other = steps("mtfc"), steps("other")
print("%-8s median %6.1f  fastest %6.1f   other: %6.1f  %6.1f   times as fast: %.2f, %.2f" % (
    sys.argv[1], *one, *other, other[0] / one[0], other[1] / one[1]))
P
done
exit $failed
