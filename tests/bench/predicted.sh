#!/usr/bin/env bash
# tests/bench/predicted.sh MTFC [STEPS] [ROUNDS]: how near predictions come on this machine. A round
# measures it (bench-hardware), predicts a step of the project's models and trains them: one process
# with all threads, one rank with one thread, and two ranks with one thread each, split by batch (dp)
# and by features (mp). A step is what its programs take (train --profile, the middle one); making
# next batch is not predicted. Others may use the machine, too, and then it is up to twice as slow for
# seconds or minutes: of all rounds the fastest prediction and the fastest step are compared, which are
# those of the machine left alone. At the end: layouts that are predicted in another order than
# measured, if one of both calls them more than 5 % apart. Nothing fails by numbers alone.
MTFC=$(realpath "$1") STEPS=${2:-14} ROUNDS=${3:-5}
TREE=$(realpath "$(dirname "$0")/../..")
. "$TREE/tests/mpi/lib.sh" all
family=${families[0]}
text="chars(\"$TREE/models/data/stories.txt\")"
# NAME MODEL ARGS...
models=("two_layer two_layer" "mnist mnist" "mnist_1000 mnist -D batch=1000"
  "gpt gpt --set data.text=$text" "llama llama" "t5_bias t5_bias" "grouped_queries grouped_queries"
  "local_attention local_attention" "distillation distillation" "number_words number_words"
  "packed_lm packed_lm")

# on KIND COMMAND...: in one process (one), or on so many ranks of one thread each.
on() {
  local kind=$1
  shift
  if [ "$kind" = one ]; then
    timeout 300 "$@"
  else
    run "$family" "$kind" "$@" -j 1
  fi
}
measure() {
  XDG_CONFIG_HOME=$PWD/$1 on "$1" "$MTFC" bench-hardware >/dev/null 2>err || { cat err; fail "bench-hardware $1"; }
}
# compare ROUND KIND LAYOUT NAME MODEL ARGS...: a prediction and a profile, in two files of one name.
compare() {
  local round=$1 kind=$2 layout=$3 model=$5 name=$4
  shift 5
  local args=("$TREE/models/$model.mtf" "$@")
  if [ "$layout" != alone ]; then
    local file=$TREE/models/layouts/$model/$layout.layout axis
    [ -e "$file" ] || return
    axis=$(sed -n 's/^mesh \([a-z]*\).*/\1/p' "$file" | head -1)
    args+=(--layout "$file" --mesh "$axis:2")
  fi
  name=$name.$kind.$layout.$round
  XDG_CONFIG_HOME=$PWD/$kind "$MTFC" trace "${args[@]}" --hardware here -o "$name.predicted" >/dev/null 2>err ||
    { cat err; fail "trace $name"; return; }
  on "$kind" "$MTFC" train "${args[@]}" --steps "$STEPS" --set train.eval_every=0 \
    --profile "$name.measured" >/dev/null 2>err || { cat err; fail "train $name"; }
}
for round in $(seq "$ROUNDS"); do
  for kind in one 1 2; do
    rm -rf "$kind"
    mkdir "$kind"
    measure "$kind"
    [ "$round" -gt 1 ] || cat "$kind/mtfc/here.layout"
    layouts=(alone)
    [ "$kind" != 2 ] || layouts=(dp mp)
    for line in "${models[@]}"; do
      read -r -a words <<<"$line"
      for layout in "${layouts[@]}"; do
        compare "$round" "$kind" "$layout" "${words[@]}"
      done
    done
  done
done
/usr/bin/python3 - <<'P'
import glob, json, statistics
def spans(path):
    events = json.load(open(path))["traceEvents"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e.get("name") == "thread_name"}
    first = min(process for process, _ in names)
    return [e for e in events if e.get("ph") == "X" and e["pid"] == first], names
def predicted(path):
    events, names = spans(path)
    return max(e["ts"] + e["dur"] for e in events if names[e["pid"], e["tid"]] == "computation")
def measured(path):
    events, names = spans(path)
    # Programs with the same number of the step are one step.
    steps = [e["dur"] for e in events if names[e["pid"], e["tid"]] == "programs"]
    return statistics.median(steps[2:])
fastest = {}
for path in glob.glob("*.predicted"):
    name = path[: -len(".predicted")]
    try:
        times = predicted(path) / 1000, measured(name + ".measured") / 1000
    except (FileNotFoundError, ValueError):
        continue
    best = fastest.setdefault(tuple(name.rsplit(".", 3)[:3]), times)
    fastest[tuple(name.rsplit(".", 3)[:3])] = tuple(map(min, best, times))
rows = []
print("%-8s %-6s %-28s %12s %12s %6s" % ("on", "layout", "model", "predicted ms", "measured ms", "ratio"))
for (model, kind, layout), times in sorted(fastest.items()):
    rows.append((kind, layout, model, *times))
    print("%-8s %-6s %-28s %12.3f %12.3f %6.2f" % (*rows[-1], times[0] / times[1]))
for kind in "one", "1", "2":
    ratios = sorted(p / m for k, _, _, p, m in rows if k == kind)
    if ratios:
        near = sum(abs(r - 1) <= 0.2 for r in ratios)
        print("%s: ratios %.2f to %.2f, %d of %d within 20 %%" % (kind, ratios[0], ratios[-1], near, len(ratios)))
wrong = pairs = 0
for model in sorted({model for model, kind, _ in fastest if kind == "2"}):
    dp, mp = fastest.get((model, "2", "dp")), fastest.get((model, "2", "mp"))
    if not dp or not mp: continue
    pairs += 1
    p, m = dp[0] / mp[0], dp[1] / mp[1]
    if (p < 1) != (m < 1) and max(abs(p - 1), abs(m - 1)) > 0.05:
        wrong += 1
        print("dp over mp of %s: predicted %.2f, measured %.2f" % (model, p, m))
print("%d of %d pairs of layouts in another order" % (wrong, pairs))
P
exit $failed
