#!/usr/bin/env bash
# The time of a step on a machine: presets, descriptions in layouts, budgets.
. "$TREE/tests/cli/lib.sh"
cat >m.mtf <<'MODEL'
dim batch = 64, io = 1024, hidden = 1024, class = 16
input x[batch, io] from gaussian(seed=1)
input y[batch]: int from gaussian_labels(seed=2, classes=class)
param a[io, hidden] ~ normal(0.05)
param b[hidden, class] ~ normal(0.05)
loss mean(cross_entropy(einsum(relu(einsum(x, a over io)), b over hidden), y over class))
train { optimizer = sgd(lr=0.1)  steps = 1000 }
MODEL
printf 'mesh rows=4, cols=2\nbatch:rows; hidden:cols\n' >plain.layout
with() { { cat plain.layout; printf '%s\n' "$2"; } >"$1.layout"; }

# Every preset: a prediction whose parts are the step.
for preset in "$TREE"/models/hardware/*.layout; do
  name=$(basename "$preset" .layout)
  expect 0 cost m.mtf --layout plain.layout --hardware "$name" --json
  silent err
  json out "o['hardware'] == '$name' and o['step_seconds'] > 0 and o['fits']"
  json out "abs(sum(v for k, v in o['seconds'].items() if k != 'communication_hidden') / o['step_seconds'] - 1) < 1e-9"
  json out "0 < o['mfu'] <= o['hfu'] < 1"
  json out "abs(o['examples_per_second'] * o['step_seconds'] / 64 - 1) < 1e-9 and 'tokens_per_second' not in o"
  json out "abs(o['run_seconds'] / o['step_seconds'] / 1000 - 1) < 1e-9"
  # The file is what the name means.
  { cat plain.layout "$preset"; } >copy.layout
  cp out first
  expect 0 cost m.mtf --layout copy.layout --json
  cmp -s out first || fail "a copy of $name predicts something else"
  expect 0 check m.mtf --layout copy.layout
done
expect 0 cost m.mtf --layout plain.layout --hardware tpu_v2
says out "predicted on tpu_v2: chip (switch, 2): cols=2; x (ring, 4 of 16): rows=4"
says out "1,000 steps"
[ "$(wc -L <out)" -le 90 ] || fail "lines are long"
expect 0 cost m.mtf --layout plain.layout --json
json out "'step_seconds' not in o"
expect 2 cost m.mtf --layout plain.layout --hardware h10
says err "did you mean \`h100\`?"
says err "there are a100_40, a100_80,"
says err "another machine is described in a layout"

# A chip of round numbers: the products alone take 6 * 64 * 1024 * (1024 + 16) / 8 FLOP (that of x
# has no gradient: 2 * 64 * 1024 * 1024 / 8 less).
with slow 'hardware slow { chip flops=1GF mem=1GB hbm=1PB/s
  link rows switch bw=1PB/s
  link cols ring bw=1PB/s }'
expect 0 cost m.mtf --layout slow.layout --json
json out "abs(o['seconds']['products'] / (64 * 1024 * (4 * 1024 + 6 * 16) / 8 / 1e9) - 1) < 1e-6"
json out "abs(o['mfu'] - 1) < 1e-3"
says out "cols (ring, 2): cols=2; rows (switch, 4): rows=4"
cp out first
# In four parts it computes the same.
expect 0 cost m.mtf --layout slow.layout --set train.microbatches=4 --json
json out "abs(o['seconds']['products'] / json.load(open('first'))['seconds']['products'] - 1) < 1e-6"
# Sums of gradients travel while the backward pass goes on.
expect 0 cost m.mtf --rules "batch:rows" --mesh rows=4 --hardware h100 --json
json out "o['seconds']['communication_hidden'] > 0 and o['seconds']['communication_exposed'] > 0"

# Several machines; the option chooses.
with both 'hardware slow { chip flops=1GF mem=1GB hbm=1GB/s
  link node size=8 bw=1GB/s }
hardware h100'
expect 2 cost m.mtf --layout both.layout
says err "the layout has several machines"
expect 0 cost m.mtf --layout both.layout --hardware slow
says out "predicted on slow: node (switch, 8): cols=2 x rows=4"
expect 0 cost m.mtf --layout both.layout --hardware v100
expect 0 check m.mtf --layout both.layout
silent err

# Mistakes, whichever command meets them.
wrong() {  # wrong CODE TEXT HARDWARE
  with wrong "$3"
  for command in check cost train; do
    expect 1 $command m.mtf --layout wrong.layout
    says err "$1"
    says err "$2"
  done
}
wrong E420 "no hardware \`h99\`" "hardware h99"
wrong E421 "has no \`chip\`" "hardware p { }"
wrong E421 "\`flops=312TF\`, not \`80GB\`" "hardware p { chip flops=80GB mem=80GB hbm=1TB/s }"
wrong E421 "no link of \`hardware p\` is for mesh axis \`cols\`" \
  "hardware p { chip flops=1TF mem=80GB hbm=1TB/s; link rows bw=1GB/s }"
wrong E403 "names no mesh axis: \`node\`" \
  "hardware p { chip flops=1TF mem=80GB hbm=1TB/s; link node bw=1GB/s }"
wrong E421 "does not fit on \`hardware p\`" \
  "hardware p { chip flops=1TF mem=80GB hbm=1TB/s; link node size=4 bw=1GB/s }"
expect 1 cost m.mtf --rules "batch:rows" --mesh "rows=1024" --hardware tpu_v2
says err "from the inside outwards it has chip 2 x x 16 x y 16"

# Budgets.
expect 0 cost m.mtf --layout plain.layout --hardware h100 --budget "memory<=16GB, sent<=2GB, step<=300ms" --json
json out "[x['ok'] for x in o['budget']] == [True] * 3"
json out "o['budget'][2]['limit'] == 0.3 and o['budget'][2]['amount'] == o['step_seconds']"
expect 5 cost m.mtf --layout plain.layout --hardware h100 --budget "memory <= 1kB ; step<=1ns"
says err "error[E603]: \`memory\` is"
says err "over its budget of 1kB"
says err "error[E603]: \`step\` is"
says out "predicted on h100"
expect 5 cost m.mtf --layout plain.layout --budget "memory<=16GB, sent<=0B" --json
json out "[x['ok'] for x in o['budget']] == [True, False] and not o['ok']"
json out "[d['code'] for d in o['diagnostics']] == ['E603']"
expect 0 cost m.mtf --budget "sent<=0B"
expect 2 cost m.mtf --layout plain.layout --budget "step<=1s"
says err "needs a machine"
expect 2 cost m.mtf --layout plain.layout --budget "memry<=1GB"
says err "did you mean \`memory\`?"
for budget in "" "," "memory" "memory<=" "memory<=1s" "memory<=-1GB" "memory<=nanGB" "memory<=1e999GB" \
  "memory>=1GB" "<=1GB" "memory<=1GB,memory<=2GB" "memory<=1GB,,sent<=1GB"; do
  expect 2 cost m.mtf --layout plain.layout --budget "$budget"
done

# What is computed again counts for the hardware and not for the model: the first of
# two products is carried out once more.
cat >again.mtf <<'MODEL'
dim batch = 512, io = 512, hidden = io
input x[batch, io] from gaussian(seed=1)
param a[io, hidden] ~ normal(0.05)
recompute { u = einsum(x, a over io)  h = u * u * u }
loss mean(h * h)
train { optimizer = sgd(lr=0.1)  steps = 10 }
MODEL
expect 0 cost again.mtf --hardware h100 --json
json out "abs(o['hfu'] / o['mfu'] - 3 / 2) < 1e-9"
sed -i 's/recompute { \(.*\) }/\1/; s/  h = /\nh = /' again.mtf
expect 0 cost again.mtf --hardware h100 --json
json out "o['hfu'] == o['mfu']"
# The model's own work is the same whatever is stored or made again: of attention all scores, hidden or not.
attention=("$TREE/models/gpt.mtf" -D layers=1 -D d_model=64 -D heads=4 -D batch=2 -D length=1024 -D vocab=64 --hardware h100)
expect 0 cost "${attention[@]}" --rules "set attention=stored" --json
cp out stored
for settings in "set attention=tiled" "set recompute=selective" "set recompute=full"; do
  expect 0 cost "${attention[@]}" --rules "$settings" --json
  json out "abs(o['mfu'] * o['step_seconds'] / (lambda s: s['mfu'] * s['step_seconds'])(json.load(open('stored'))) - 1) < 1e-9"
  json out "o['hfu'] > o['mfu']"
done
# On two processors that do the same, each does half of the model's work.
expect 0 cost again.mtf --rules "[]" --mesh rows=2 --hardware h100 --json
json out "abs(o['hfu'] / o['mfu'] - 2) < 1e-9"
# Times of collectives: what is exposed of them is what the step waits for; without overlap all of it.
expect 0 cost $TREE/models/gpt.mtf --layout $TREE/models/layouts/gpt/fsdp_tp.layout --hardware h100 --json
json out 'abs(sum(c["seconds_exposed"] for c in o["collectives"]) / o["seconds"]["communication_exposed"] - 1) < 1e-9'
json out 'abs(sum(c["seconds"] for c in o["collectives"]) / (o["seconds"]["communication_exposed"] + o["seconds"]["communication_hidden"]) - 1) < 1e-9'
expect 0 cost $TREE/models/gpt.mtf --layout $TREE/models/layouts/gpt/fsdp_tp.layout --hardware h100
[ "$(tail -n +2 out | awk 'length > 80' | wc -l)" -eq 0 ] || fail "wider than 80 columns"
says out "each sent time"

done_testing
