#!/usr/bin/env bash
# tests/bench/predicted.sh MTFC [STEPS]: how near predictions come on this machine. Measures it
# (bench-hardware), predicts a step of the project's models, trains them, and prints both: one process
# with all threads, one rank with one thread, and two ranks with one thread each, split by batch (dp)
# and by features (mp). A step is what its programs take (train --profile, the middle one; of three
# runs the fastest, since others may use the machine, too); making the next batch is not predicted.
# At the end: layouts that are predicted in another order than measured, if one of both calls them
# more than 5 % apart. Wants a quiet machine; nothing fails by numbers alone.
MTFC=$(realpath "$1") STEPS=${2:-14}
TREE=$(realpath "$(dirname "$0")/../..")
. "$TREE/tests/mpi/lib.sh"
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
# compare KIND LAYOUT NAME MODEL ARGS...: a prediction and a profile, in two files of one name.
number=0
compare() {
  local kind=$1 layout=$2 model=$4 name
  number=$((number + 1))
  name=$(printf %03d $number).$kind.$layout.$3
  shift 4
  local args=("$TREE/models/$model.mtf" "$@")
  if [ "$layout" != alone ]; then
    local file=$TREE/models/layouts/$model/$layout.layout axis
    [ -e "$file" ] || return
    axis=$(sed -n 's/^mesh \([a-z]*\).*/\1/p' "$file" | head -1)
    args+=(--layout "$file" --mesh "$axis:2")
  fi
  XDG_CONFIG_HOME=$PWD/$kind "$MTFC" trace "${args[@]}" --hardware here -o "$name.predicted" >/dev/null 2>err ||
    { cat err; fail "trace $name"; return; }
  for run in 1 2 3; do
    on "$kind" "$MTFC" train "${args[@]}" --steps "$STEPS" --set train.eval_every=0 \
      --profile "$name.measured.$run" >/dev/null 2>err || { cat err; fail "train $name"; }
  done
}
for kind in one 1 2; do
  mkdir "$kind"
  measure "$kind"
  cat "$kind/mtfc/here.layout"
done
for line in "${models[@]}"; do
  read -r -a words <<<"$line"
  compare one alone "${words[@]}"
  compare 1 alone "${words[@]}"
  compare 2 dp "${words[@]}"
  compare 2 mp "${words[@]}"
done
/usr/bin/python3 - <<'P'
import glob, itertools, json, statistics
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
rows = []
print("%-8s %-6s %-28s %12s %12s %6s" % ("on", "layout", "model", "predicted ms", "measured ms", "ratio"))
for path in sorted(glob.glob("*.predicted")):
    name = path[: -len(".predicted")]
    _, kind, layout, model = name.split(".", 3)
    try:
        runs = [measured(run) for run in glob.glob(name + ".measured.*")]
        times = predicted(path) / 1000, min(runs) / 1000
    except (FileNotFoundError, ValueError):
        continue
    rows.append((kind, layout, model, *times))
    print("%-8s %-6s %-28s %12.3f %12.3f %6.2f" % (*rows[-1], times[0] / times[1]))
for kind in "one", "1", "2":
    ratios = sorted(p / m for k, _, _, p, m in rows if k == kind)
    if ratios:
        near = sum(abs(r - 1) <= 0.2 for r in ratios)
        print("%s: ratios %.2f to %.2f, %d of %d within 20 %%" % (kind, ratios[0], ratios[-1], near, len(ratios)))
wrong = pairs = 0
for a, b in itertools.combinations([r for r in rows if r[0] == "2"], 2):
    if a[2] != b[2]: continue
    pairs += 1
    p, m = a[3] / b[3], a[4] / b[4]
    if (p < 1) != (m < 1) and max(abs(p - 1), abs(m - 1)) > 0.05:
        wrong += 1
        print("order of %s and %s of %s: predicted %.2f, measured %.2f" % (a[1], b[1], a[2], p, m))
print("%d of %d pairs of layouts in another order" % (wrong, pairs))
P
exit $failed
