#!/usr/bin/env bash
# Milliseconds a training step, median: tests/bench/steps.sh MTFC. The GPT needs a text: TEXT=FILE.
set -euo pipefail
mtfc=${1:?the program}
tree=$(cd "$(dirname "$0")/../.." && pwd)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
median() {  # median NAME ARGS...
  "$mtfc" train "${@:2}" --set train.eval_every=1000000 --log "$log" >/dev/null 2>&1
  sed -n 's/.*"seconds":\([0-9.e-]*\).*/\1/p' "$log" | tail -n +4 | sort -g |
    awk -v name="$1" '{ v[NR] = $1 } END { printf "%-34s %8.2f ms\n", name, 1000 * v[int((NR + 1) / 2)] }'
}
for j in 1 2; do
  median "two_layer, $j threads" "$tree/models/two_layer.mtf" --steps 200 -j $j
  median "two_layer 16x32 mesh, $j threads" "$tree/models/two_layer.mtf" --steps 200 -j $j \
    --mesh "rows:16;cols:32" --rules "batch:rows;hidden:cols"
  median "mnist, $j threads" "$tree/models/mnist.mtf" --steps 200 -j $j
  median "mnist 2x2 mesh, $j threads" "$tree/models/mnist.mtf" --steps 200 -j $j \
    --layout "$tree/models/layouts/mnist/dp_mp.layout"
  [ -n "${TEXT:-}" ] || continue
  median "gpt, $j threads" "$tree/models/gpt.mtf" --steps 60 -j $j --set data.text="$TEXT"
  median "gpt 2x2 mesh, $j threads" "$tree/models/gpt.mtf" --steps 60 -j $j \
    --set data.text="$TEXT" --layout "$tree/models/layouts/gpt/dp_mp.layout"
done
