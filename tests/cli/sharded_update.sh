#!/usr/bin/env bash
# update=sharded: the steps of the plain update with every optimiser, optimiser state divided by the
# number of replicas, and no more bytes on the wire.
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=/usr/bin/python3
[ -x $python ] || { echo "skipped: no $python"; exit 77; }
failed=0
fail() { echo "FAILED: $*"; failed=1; }

cat >"$folder/m.mtf" <<'MODEL'
use "nn.mtf"
dim batch = 48, io = 24, hidden = 32, odd = 7
input x[batch, io] from gaussian(seed=1)
input y[batch]: int from gaussian_labels(seed=2, classes=odd)
h = relu(dense@a(x over io -> hidden))
h = h + dense@b(layer_norm@n(h over hidden) over hidden -> hidden)
loss mean(cross_entropy(dense@c(h over hidden -> odd), y over odd))
train { optimizer = sgd(lr=0.1)  steps = 4  clip = 0.5  precision = f64 }
MODEL
sharded() { echo "mesh $1; $2; set update=sharded" | tr ';' '\n'; }
plain() { echo "mesh $1; $2" | tr ';' '\n'; }

cases=0
compare() {  # compare NAME MESH RULES OPTIMIZER: of all cases the logs and costs are compared below
  local case=$folder/case$((cases += 1))
  plain "$2" "$3" >"$folder/plain.layout"
  sharded "$2" "$3" >"$folder/sharded.layout"
  for how in plain sharded; do
    "$MTFC" train "$folder/m.mtf" --layout "$folder/$how.layout" --replicas all \
      --set "train.optimizer=$4" --log "$case.$how.jsonl" >/dev/null 2>"$folder/err" ||
      { cat "$folder/err"; fail "$1 $4 $how"; return; }
    "$MTFC" cost "$folder/m.mtf" --layout "$folder/$how.layout" --set "train.optimizer=$4" --json \
      >"$case.$how.json"
  done
  printf '%s\n' "$case|$1 $4|$odd" >>"$folder/cases"
}
odd=1  # how much more may be sent
for optimizer in "sgd(lr=0.1)" "sgd(lr=0.1, momentum=0.9)" "adam(lr=0.01)" "adamw(lr=0.01)" \
  "adafactor(lr=0.05)" "lamb(lr=0.01)" "lars(lr=0.1)"; do
  compare dp "rows=8" "batch:rows" "$optimizer"
  compare mixed "rows=4, cols=2" "batch:rows; hidden:cols" "$optimizer"
done
# Sizes that three and six do not divide are padded, which sends at most what padding adds.
odd=1.3
for optimizer in "sgd(lr=0.1, momentum=0.9)" "adam(lr=0.01)" "adafactor(lr=0.05, min_size=4)" "lamb(lr=0.01)" \
  "lars(lr=0.1)" "adagrad(lr=0.1)" "rmsprop(lr=0.01)"; do
  compare three "rows=3" "batch:rows" "$optimizer"
  compare six "rows=3, cols=2" "batch:rows; hidden:cols" "$optimizer"
done
odd=1.001  # the last bias has seven elements
compare cube "rows=2, planes=2, cols=2" "batch:rows; io:planes; hidden:cols" "adamw(lr=0.01)"
$python - "$folder/cases" <<'PYTHON' || failed=1
import json, sys
def losses(case, how):
    return [json.loads(line).get("loss") for line in open(f"{case}.{how}.jsonl")]
def sent(case, how):
    cost = json.load(open(f"{case}.{how}.json"))
    # Without the norms: a number for each parameter, in one message.
    return sum(c["bytes_sent_per_processor"] for c in cost["collectives"]
               if not (c["phase"] == "update" and c["kind"] == "all_reduce"))
wrong = 0
for case, name, more in (line.strip().split("|") for line in open(sys.argv[1])):
    a, b = losses(case, "plain"), losses(case, "sharded")
    if len(a) != len(b) or not all(x is None or abs(x - y) <= 1e-12 * abs(x) for x, y in zip(a, b)):
        print("FAILED:", name, a, b); wrong += 1
    if sent(case, "sharded") > float(more) * sent(case, "plain"):
        print("FAILED:", name, "sends", sent(case, "sharded"), "instead of", sent(case, "plain")); wrong += 1
sys.exit(wrong > 0)
PYTHON

# Optimiser state: two numbers a parameter, on one replica or on all eight together.
plain "rows=8" "batch:rows" >"$folder/plain.layout"
sharded "rows=8" "batch:rows" >"$folder/sharded.layout"
for how in plain sharded; do
  "$MTFC" train "$folder/m.mtf" --layout "$folder/$how.layout" --set 'train.optimizer=adam(lr=0.1)' \
    -D odd=8 --dump-after lower 2>/dev/null >"$folder/$how.dump"
done
$python - "$folder" <<'PYTHON' || failed=1
import re, sys
def elements(how):
    text, sizes, total = open(f"{sys.argv[1]}/{how}.dump").read(), {}, 0
    for name, size in re.findall(r'^dim (\S+) = (\d+)', text, re.M): sizes[name] = int(size)
    for dims in re.findall(r'^variable "optimizer\.[^"]*": f64\[([^]]*)\] optimizer', text, re.M):
        n = 1
        for dim in dims.split(", "):
            name, *axes = dim.split("/")
            n *= sizes[name] // 8 ** len(axes)
        total += n
    return total
plain, sharded = elements("plain"), elements("sharded")
if plain == 0 or plain != 8 * sharded:
    print("FAILED: optimiser elements on a processor", plain, sharded)
    sys.exit(1)
PYTHON

# Padding is never stored: a checkpoint of three replicas goes on on one processor, and back, to the
# losses of a run that was not interrupted.
sharded "rows=3" "batch:rows" >"$folder/three.layout"
plain "all=1" "batch:all" >"$folder/one.layout"
run() { "$MTFC" train "$@" --set 'train.optimizer=adam(lr=0.01)' >/dev/null 2>"$folder/err" || { cat "$folder/err"; fail "train $*"; }; }
run "$folder/m.mtf" --layout "$folder/three.layout" --steps 6 -o "$folder/whole"
for pair in "three one" "one three"; do
  set -- $pair
  for form in one_file sharded; do
    out=$folder/$1.$form
    run "$folder/m.mtf" --layout "$folder/$1.layout" --steps 3 -o "$out" --set train.checkpoint=$form
    run --resume "$out" --layout "$folder/$2.layout" --steps 6 -o "$out"
    $python - "$folder/whole/log.jsonl" "$out/log.jsonl" <<'PYTHON' || fail "$pair $form"
import json, sys
a, b = ([json.loads(line)["loss"] for line in open(path) if '"loss"' in line] for path in sys.argv[1:])
sys.exit(not (len(a) == len(b) and all(abs(x - y) <= 1e-11 * abs(x) for x, y in zip(a, b))))
PYTHON
  done
done
exit $failed
