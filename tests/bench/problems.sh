#!/usr/bin/env bash
# What the solver finds for the contest's problems within their time limits, beside the best known costs:
# a table as in docs/plan-problem.md. Every answer is recomputed by tests/tools/check_problem.py.
#   MTFC=build/mtfc tests/bench/problems.sh [DATA [NAME...]]
set -euo pipefail
tree=$(cd "$(dirname "$0")/../.." && pwd)
mtfc=${MTFC:-$tree/build/mtfc}
data=${1:-$tree/../shared/data/iopddl}
shift || true
if [ ! -e "$data/G.json.gz" ]; then
  echo "skipped: no problems in $data; they are in the repository of the contest (asplos-contest/2025)"
  exit 0
fi
# Name, seconds allowed, best cost known: the results of the contest.
known="A 60 6548641531
C 60 84102445260
G 120 217039
K 180 2274276676
M 180 49928460991
P 240 662197407330
S 240 1534613444
U 300 2569342178"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
printf '%-5s %8s %8s %17s %17s %9s %17s %8s\n' name limit_s cpu_s cost best_known ratio bound gap_%
while read -r name seconds best; do
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
  # Ten seconds less than allowed: what reading, starting and a busy machine take.
  TIMEFORMAT='%U %R'
  { time "$mtfc" plan --problem "$data/$name.json.gz" --time "$((seconds - 10))" --json >"$scratch/answer" </dev/null; } 2>"$scratch/time" || true
  checked=$(python3 "$tree/tests/tools/check_problem.py" "$data/$name.json.gz" "$scratch/answer") ||
    { echo "$name: $checked"; continue; }
  python3 - "$scratch/answer" "$name" "$seconds" "$best" "$(cut -d' ' -f1 "$scratch/time")" <<'PY'
import json, sys
answer, name, seconds, best, cpu = json.load(open(sys.argv[1])), *sys.argv[2:]
cost, bound = answer["cost"], answer["bound"]
gap = 100 * (cost - bound) / cost
print(f"{name:5} {seconds:>8} {float(cpu):>8.0f} {cost:>17,} {int(best):>17,} {cost / int(best):>9.4f} {bound:>17,} {gap:>8.3f}")
PY
done <<<"$known"
