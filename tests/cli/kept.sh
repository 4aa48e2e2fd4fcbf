#!/usr/bin/env bash
# Parameters kept on shards (`param "glob" { dim:axis }`): losses of the replicated ones with every
# optimiser, what FSDP sends and keeps, checkpoints from one layout to the other.
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=/usr/bin/python3
[ -x $python ] || { echo "skipped: no $python"; exit 77; }
failed=0
fail() { echo "FAILED: $*"; failed=1; }

cat >"$folder/m.mtf" <<'MODEL'
use "nn.mtf"
dim batch = 48, io = 24, hidden = 32, inner = 64, class = 8
input x[batch, io] from gaussian(seed=1)
input y[batch]: int from gaussian_labels(seed=2, classes=class)
h = relu(dense@a(x over io -> hidden))
recompute { h = h + dense@down(relu(dense@up(h over hidden -> inner)) over inner -> hidden) }
loss mean(cross_entropy(dense@c(h over hidden -> class), y over class))
train { optimizer = sgd(lr=0.1)  steps = 4  clip = 0.5  precision = f64 }
MODEL
layout() { printf '%s\n' "$2" | tr ';' '\n' >"$folder/$1.layout"; }
layout plain 'mesh data=8;batch:data'
layout again 'mesh data=8;batch:data;param "**" { hidden:data }'
layout once 'mesh data=8;batch:data;set gather=once;param "**" { hidden:data }'
layout step 'mesh data=8;batch:data;set gather=step;param "**" { hidden:data }'
layout zero1 'mesh data=8;batch:data;set update=sharded'
layout hybrid 'mesh nodes=2, data=4;batch:nodes+data;param "**" { hidden:data }'
layout hybrid_zero1 'mesh nodes=2, data=4;batch:nodes+data;set update=sharded;param "**" { hidden:data }'
layout tp 'mesh data=4, model=2;batch:data;inner:model;param "**" { hidden:data }'
layout both_axes 'mesh data=4, model=2;batch:data;inner:model;param "up.*" { inner:model+data };param "a.w" { io:data }'

train() {  # train LAYOUT LOG OPTIONS...
  "$MTFC" train "$folder/m.mtf" --layout "$folder/$1.layout" --replicas all --log "$folder/$2" \
    "${@:3}" >/dev/null 2>"$folder/err" || { cat "$folder/err"; fail "$*"; }
}
same() { printf '%s\n' "$folder/$1|$folder/$2|$3" >>"$folder/pairs"; }  # same A B WHAT: all are compared below
for optimizer in "sgd(lr=0.1, momentum=0.9)" "adamw(lr=0.01)" "adafactor(lr=0.05)" "lamb(lr=0.01)" \
  "lars(lr=0.1)" "adagrad(lr=0.05)" "rmsprop(lr=0.01)"; do
  train plain "plain $optimizer" --set "train.optimizer=$optimizer"
  for how in again once hybrid hybrid_zero1 tp both_axes; do
    train $how "$how $optimizer" --set "train.optimizer=$optimizer"
    same "plain $optimizer" "$how $optimizer" "$how $optimizer"
  done
done
train plain plain.micro --set train.microbatches=3
for how in again once step tp hybrid hybrid_zero1 both_axes; do
  train $how $how.micro --set train.microbatches=3
  same plain.micro $how.micro "$how, micro-batches"
done

# What it sends and keeps, against the papers: ZeRO-1 and FSDP that keeps what it gathered send what
# the all-reduce of plain data parallelism sends, FSDP 1.5 times that; what is kept falls by the
# number of replicas.
for how in again step; do
  "$MTFC" cost "$folder/m.mtf" --layout "$folder/$how.layout" --set train.microbatches=3 --set train.precision=bf16 \
    --json >"$folder/$how.micro.json" || fail "cost $how, micro-batches"
done
for how in plain again once zero1; do
  "$MTFC" cost "$folder/m.mtf" --layout "$folder/$how.layout" --set "train.optimizer=adam(lr=0.01)" \
    --json >"$folder/$how.json" || fail "cost $how"
done
$python - "$folder" <<'PYTHON' || failed=1
import json, sys
def cost(how): return json.load(open(f"{sys.argv[1]}/{how}.json"))
def sent(how): return sum(c["bytes_sent_per_processor"] for c in cost(how)["collectives"])
ok = True
for how, wanted in ("again", 1.5), ("once", 1), ("zero1", 1):
    ratio = sent(how) / sent("plain")
    if abs(ratio - wanted) > 0.06: print("FAILED:", how, "sends", ratio, "times as much"); ok = False
# Each of three micro-batches gathers, or all together once; in bf16, as they are used.
def sent_by(kind, how):
    return sum(c["bytes_sent_per_processor"] for c in cost(how)["collectives"] if c["kind"] == kind)
def gathered(how): return sent_by("all_gather", how)
# Gradients are kept as their parameters are, so that each micro-batch reduces them to shards; where parameters are
# gathered for the step, once. Elements: what is summed first in f32 travels in f32.
def scattered(how):
    return sum(c["elements_per_processor"] for c in cost(how)["collectives"] if c["kind"] == "reduce_scatter")
ratio = scattered("again.micro") / scattered("step.micro")
if abs(ratio - 3) > 0.1: print("FAILED: micro-batches reduce", ratio, "times as much"); ok = False
if not 5 < gathered("again.micro") / gathered("step.micro") <= 6:  # the first layer once, the others twice
    print("FAILED: gathered", gathered("again.micro"), gathered("step.micro")); ok = False
sys.exit(not ok)
PYTHON

# From one layout to the other in the middle of a run.
"$MTFC" train "$folder/m.mtf" --layout "$folder/again.layout" -o "$folder/run" --steps 2 >/dev/null 2>&1 || fail "first half"
"$MTFC" train --resume "$folder/run" --layout "$folder/plain.layout" --steps 4 >/dev/null 2>"$folder/err" || { cat "$folder/err"; fail "second half"; }
train plain whole.log
grep '"loss"' "$folder/whole.log" | tail -n 2 >"$folder/wanted"
grep '"loss"' "$folder/run/log.jsonl" | tail -n 2 >"$folder/got"
same wanted got "resumed under another layout"
$python - "$folder/pairs" <<'PYTHON' || failed=1
import json, sys
def losses(path): return [x["loss"] for x in map(json.loads, open(path)) if "loss" in x]
wrong = 0
for a_path, b_path, what in (line.strip().split("|") for line in open(sys.argv[1])):
    a, b = losses(a_path), losses(b_path)
    if not (len(a) == len(b) > 0 and all(abs(x - y) <= 1e-12 * abs(x) for x, y in zip(a, b))):
        print("FAILED:", what, a, b); wrong += 1
sys.exit(wrong > 0)
PYTHON

# A norm over shards is summed because of how they are kept.
for name in again zero1 hybrid; do
  "$MTFC" cost "$folder/m.mtf" --layout "$folder/$name.layout" >"$folder/text" 2>&1 || fail "cost of $name"
  if grep -q 'because of no rule' "$folder/text"; then fail "$name: a collective without a rule"; fi
  shares=$(grep -c 'because of.*update=sharded' "$folder/text")
  [ "$shares" -gt 0 ] && [ $name != zero1 ] && fail "$name: because of a setting that it does not have"
  [ "$shares" = 0 ] && [ $name = zero1 ] && fail "$name: without a word of the setting"
done

# Mistakes.
says() { # says TEXT RULES
  "$MTFC" check "$folder/m.mtf" --mesh data:4,other:2 --rules "$2" >"$folder/text" 2>&1
  tr '\n' ' ' <"$folder/text" | tr -s ' ' | grep -qF -- "$1" || fail "$2 does not say: $1"
}
says 'matches no parameter of this model' 'batch:data; param "nothing.*" { hidden:data }'
says 'matches no dimension there' 'batch:data; param "a.*" { class:data }'
says 'no mesh axis named `dta`' 'batch:data; param "a.*" { hidden:dta }'
says 'kept with mesh axis `data` for two dimensions' 'batch:data; param "a.w" { hidden:data; io:data }'
# The general rules clash: their own error, and no more.
says 'uses mesh axis `data` for two dimensions' 'io:data; hidden:data; param "a.w" { io:other }; param "up.w" { inner:other }'
says 'one scope has both' 'batch:data; param "a.*" { hidden:data; hidden:other }'
says 'of parameter `a.b` is kept over both' 'batch:data; param "a.*" { hidden:data }; param "a.b*" { hidden:other }; param "*a.b" { hidden:data }'
says 'rule `io:data` of `param "a.w"` is listed twice' 'batch:data; param "a.w" { io:data; io:data }'
says '`io:data` holds for what it matches' 'batch:data; param "a.w" { i*:other; io:data }'
says 'write `io:data`' 'batch:data; param "a.w" { data:io }'
says 'rule `h*:data` splits nothing' 'hidden:data; h*!:data'
# An axis of size 1 contradicts nothing; a rule that scopes take back everywhere asks for no size.
says '`param "a.w"` has no rules' 'batch:data; param "a.w" { }'
idle() { # idle SETTING RULES: `cost` says that it changes nothing
  "$MTFC" cost "$folder/m.mtf" --set train.precision=f32 --mesh data:4 --rules "$2; set $1" >"$folder/text" 2>&1 ||
    fail "cost of $2; set $1"
  grep -qF "note[N423]: \`set $1\` changes nothing under this layout" "$folder/text"
}
! idle update=sharded 'batch:data' || fail "update=sharded of replicated parameters"
! idle wire=bf16 'batch:data' || fail "sums of gradients travel in bf16"
idle recompute=scores 'batch:data' || fail "there are no scores"
idle gather=step 'hidden:data; param "a.w" { hidden:data }' || fail "nothing is gathered"
! idle gather=once 'batch:data; param "up.w" { inner:data }' || fail "what is kept split is gathered"
fine() { # fine MESH RULES
  "$MTFC" check "$folder/m.mtf" --mesh "$1" --rules "$2" >"$folder/text" 2>&1 || fail "$2 on $1"
  grep -E 'W41|E4' "$folder/text" && fail "$2 on $1 has a message"
  true
}
fine data:4,other:1 'batch:data; param "a.w" { io:other }; param "a.w*" { io:data }'
for rules in 'param "a.w" { io:other }; param "a.w*" { io:data }' 'param "a.w*" { io:data }; param "a.w" { io:other }'; do
  "$MTFC" why "$folder/m.mtf" --mesh data:4,other:1 --rules "batch:data; $rules" a.w | grep -q 'io is split over data' ||
    fail "$rules depends on the order"
done
for rules in 'value "h1" { hidden:other; batch:[] }; value "h1*" { hidden:data; batch:[] }' \
  'value "h1*" { hidden:data; batch:[] }; value "h1" { hidden:other; batch:[] }'; do
  sed 's/\bh\b/h1/g' "$folder/m.mtf" >"$folder/h1.mtf"
  "$MTFC" why "$folder/h1.mtf" --mesh data:4,other:1 --rules "batch:data; $rules" h1 | grep -q 'hidden is split over data' ||
    fail "$rules depends on the order"
done
fine data:4,other:1 'batch:data; param "a.w" { io:data; io:other }'
fine data:4,other:1 'batch:data; value "**.*" { hidden:other; hidden:data }'
exit $failed
