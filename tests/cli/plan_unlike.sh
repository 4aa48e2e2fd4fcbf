# `plan` of pipelines whose blocks are not alike: against every pipeline of small spaces; what is written costs and trains.
. "$(dirname "$0")/lib.sh"
cat >funnel.mtf <<'M'
use "nn.mtf"
dim batch = 64, d = 256, wide = 1024
input x[batch, d] from gaussian(seed=7)
input y[batch, d] from gaussian(seed=8)
h = tanh(dense@first(x over d -> wide))
h = tanh(dense@wide1(h over wide -> wide))
h = tanh(dense@wide2(h over wide -> wide))
h = tanh(dense@narrow(h over wide -> d))
h = dense@last(h over d -> d)
loss mean(square(h - y))
train { optimizer = sgd(lr=0.001) steps = 2 }
M
write_slow_machine
# proved PROCESSORS MEMORY OPTIONS...: no pipeline is faster than what the plan names.
proved() {
  expect 0 plan funnel.mtf --keep slow.layout --axes 1 --processors "$1" --memory "$2" "${@:3}" --json
  cp out plan.json
  /usr/bin/python3 "$TREE/tests/tools/check_pipelines.py" "$MTFC" plan.json funnel.mtf slow.layout >checked 2>&1 "${many[@]}" ||
    fail "plan of $*: $(tail -n 1 checked)"
}
many=(-D batch=512 -D d=512 -D wide=2048 --set train.microbatches=8)
proved 2 4GB "${many[@]}"
json plan.json 'o["space"]["staged_blocks"] == ["first", "wide*", "narrow", "last"] and o["space"]["iterations"] == 5'
json plan.json 'o["best"]["stages"] == 2 and o["best"]["whole"] and o["deviation"] < 0.02'
json plan.json 'all(not s["chunks"] for s in o["space"]["staged"])'
# Two chunks of each stage, where these are of as many blocks.
cp funnel.mtf five.mtf
sed -i 's/^h = tanh(dense@wide2.*/&\n&\n&\n&/' funnel.mtf
sed -i '8s/wide2/wide3/; 9s/wide2/wide4/; 10s/wide2/wide5/' funnel.mtf
proved 2 4GB "${many[@]}" --set train.microbatches=4
json plan.json 'o["space"]["iterations"] == 8 and o["space"]["staged"][0]["chunks"] == [2]'
grep -q '[1-9][0-9]* interleave' checked || fail "nothing interleaved was checked"
mv five.mtf funnel.mtf
proved 3 4GB "${many[@]}" --submeshes --stages 2
json plan.json 'o["space"]["submeshes"] == ["all=1", "all=2"]'

expect 0 plan funnel.mtf "${many[@]}" --keep slow.layout --axes 1 --processors 3 -o best.layout
says out 'cut anywhere between "first", "wide*", "narrow",'
says best.layout 'pipeline "first", "wide*", "narrow", "last" { stages = '
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fail "wider than 80 columns"
expect 0 cost funnel.mtf "${many[@]}" --layout best.layout --json
expect 0 train funnel.mtf -D d=16 -D wide=32 --set train.microbatches=8 --layout best.layout

# A chain of blocks that are alike, of which no model has fewer: all cuts, of which the even one does not fit.
cat >written.mtf <<'M'
use "nn.mtf"
dim batch = 960, a = 512, d = 64, c = 16
input x[batch, a] from gaussian(seed=1)
input y[batch]: int from gaussian_labels(seed=2, classes=c)
h = dense@b0(x over a -> d)
repeat@lay 12 { h = h + tanh(dense@q(h over d -> d)) }
loss mean(cross_entropy(dense@out(h over d -> c), y over c))
train { optimizer = adam(lr=1e-3) microbatches = 8 steps = 5 }
M
plain=(--hardware x --keep x.layout --axes 1 --json)
echo 'hardware x { chip flops=60TF vector=5TF mem=16GB hbm=1TB/s launch=0.5us
  link c switch size=4 bw=5GB/s lat=0.2us }
set recompute=none' >x.layout
expect 0 plan written.mtf "${plain[@]}" --processors 3 --memory 1.7MB
json out 'o["proved"] and "stages = 3+5+4" in o["best"]["rules"]'
expect 0 plan written.mtf "${plain[@]}" --processors 3 --memory 1.5MB
json out 'o["proved"] and o["best"]["stages"] == 3 and o["best"]["memory"] <= 1.5e6'
sed 's/lay 12/lay 8/' written.mtf >shorter.mtf
echo 'set update=replicated' >>x.layout
expect 0 plan shorter.mtf "${plain[@]}" --processors 3 --submeshes
json out 'o["proved"] and o["space"]["submeshes"] == ["all=1", "all=2"] and o["best"]["stages"] == 3'

# A million processors in four stages take no more time or memory than a few.
sed 's/size=8/size=1048576/' slow.layout >large.layout
(ulimit -v 1500000 && timeout 60 "$MTFC" plan funnel.mtf -D batch=1048576 --set train.microbatches=8 --keep large.layout \
  --processors 1048576 --axes 1 --stages 4 --time 1 --json) >out 2>err || fail "a million processors: $(tail -n 1 err)"
json out 'any(p["stages"] == 4 for p in o["predicted"])'

# Few stages say too much of the memory of these: none seems to fit, and of those that do the fastest is found.
cat >towers.mtf <<'M'
use "nn.mtf"
dim batch = 12, n = 32, v = 128, d = 128, f1 = 512, f2 = 128, k = 256, inner = 3
input t[batch, n]: int from gaussian_labels(seed=2, classes=v)
input y[batch, n]: int from gaussian_labels(seed=4, classes=v)
block mlp(x over d, f) { return dense@down(relu(dense@up(x over d -> f)) over f -> d) }
block big(x over d, f, k) {
  h = x + mlp@a(x over d, f)
  return h + mlp@b(h over d, k)
}
block tower(x over d, f) {
  h = x
  repeat inner { h = h + mlp@m(layer_norm@ln(h over d) over d, f) }
  return h
}
param table[v, d] ~ normal(0.02)
h = big@one(table[v = t] over d, f1, k)
h = h + mlp@small(h over d, f2)
h = tower@tow(h over d, k)
h = tower@tow2(h over d, f2)
h = big@two(h over d, k, f1)
loss mean(cross_entropy(einsum(h, table over d), y over v))
train { optimizer = adamw(lr=1e-3)  steps = 5  microbatches = 2  update = sharded }
M
cat >towers.layout <<'L'
hardware x { chip flops=60TF vector=5TF mem=16GB hbm=1TB/s launch=0.5us
 link c switch size=4 bw=10GB/s lat=0.2us }
set recompute=none
L
expect 0 plan towers.mtf --hardware x --keep towers.layout --processors 3 --axes 1 --memory 8.7MB --json -o towers_best.layout
json out 'o["proved"] and o["best"]["stages"] == 3'
cp out plan.json
for cut in 2+3+4 1+4+4 3+3+3 2+4+3 1+5+3; do
  (cat towers.layout; sed -nE "s/stages = [0-9+]+/stages = $cut/; /^pipeline/,/}/p" towers_best.layout) >cut.layout
  expect 0 cost towers.mtf --hardware x --layout cut.layout --json
  /usr/bin/python3 -c 'import json
best, cut = json.load(open("plan.json"))["best"], json.load(open("out"))
holds = cut["run_memory"]["per_processor"]
assert holds > 8.7e6 or cut["step_seconds"] >= best["step_seconds"] * (1 - 1e-9)' ||
    fail "stages of $cut blocks are faster"
done
# What passes of many blocks work in is what those of two do, not a sum over blocks, which would be twice as much.
cat >widths.mtf <<'M'
use "nn.mtf"
dim batch = 3840, d = 64, e = 256, a = 256, c = 64
const n = 8
input x[batch, a] from gaussian(seed=1)
input y[batch]: int from gaussian_labels(seed=2, classes=c)
h = dense@one(x, bias=false over a -> d)
repeat@narrow n { h = tanh(dense@l(h, bias=false over d -> d)) }
h = dense@mid(h, bias=false over d -> e)
repeat@wide n { h = tanh(dense@l(h, bias=false over e -> e)) }
loss mean(cross_entropy(dense@out(h, bias=false over e -> c), y over c))
train { optimizer = adam(lr=1e-3)  steps = 5  microbatches = 4  update = replicated }
M
cat >widths.layout <<'L'
hardware x { chip flops=60TF vector=5TF mem=22MB hbm=1TB/s launch=0.5us
 link c switch size=2 bw=0.5GB/s lat=0.2us }
set recompute=none
L
expect 0 plan widths.mtf --hardware x --keep widths.layout --processors 2 --axes 1 --json
json out 'o["proved"] and o["best"]["stages"] == 2 and o["best"]["fits"]'
cp out plan.json
(cat widths.layout; echo 'pipeline "one", "narrow.*", "wide.*", "mid", "out" { stages = 9+10 }') >widths_cut.layout
expect 0 cost widths.mtf --hardware x --layout widths_cut.layout --json
/usr/bin/python3 -c 'import json
best, cut = json.load(open("plan.json"))["best"], json.load(open("out"))
assert cut["run_memory"]["per_processor"] <= 22e6 and cut["step_seconds"] >= best["step_seconds"] * (1 - 1e-9)' ||
  fail "stages of 9+10 blocks are faster"
# Blocks that use what one of three blocks before made: stages are no sums over their blocks.
{ echo 'use "nn.mtf"
dim batch = 960, a = 64, d = 256, c = 64
input x[batch, a] from gaussian(seed=1)
input y[batch]: int from gaussian_labels(seed=2, classes=c)
h0 = tanh(dense@b0(x, bias=false over a -> d))'
for i in $(seq 13); do
  before=; [ "$i" -lt 3 ] || before="h$((i - 3)) + "
  echo "h$i = ${before}tanh(dense@b$i(h$((i - 1)), bias=false over d -> d))"
done
echo 'loss mean(cross_entropy(dense@out(h13, bias=false over d -> c), y over c))
train { optimizer = adam(lr=1e-3)  steps = 5  microbatches = 2 }'; } >skips.mtf
sed 's/0.5GB/2GB/' widths.layout >skips.layout
expect 0 plan skips.mtf --hardware x --keep skips.layout --processors 2 --axes 1 --memory 23822583B --json
cp out plan.json
blocks=$(/usr/bin/python3 -c 'import json; print(", ".join("\"" + b + "\"" for b in json.load(open("plan.json"))["space"]["staged_blocks"]))')
(cat skips.layout; echo "pipeline $blocks { stages = 8+7 }") >skips_cut.layout
expect 0 cost skips.mtf --hardware x --layout skips_cut.layout --json
/usr/bin/python3 -c 'import json
plan, cut = json.load(open("plan.json")), json.load(open("out"))
assert cut["run_memory"]["per_processor"] <= 23822583, cut["run_memory"]
assert not plan["proved"] or cut["step_seconds"] >= plan["best"]["step_seconds"] * (1 - 1e-9), (plan["best"], cut["step_seconds"])' ||
  fail "stages of 8+7 blocks are faster"
# A loss on every second block: few iterations say too much of each that a stage has, and what was seen of some counts for all.
{ echo 'dim batch = 96, a = 16
input x[batch, a] from gaussian(seed=1)
input y[batch]: int from gaussian_labels(seed=2, classes=a)
block lay(h over a) { param g[a] = 1
 return tanh(h + g) }
h0 = lay@b0(x over a)'
for i in $(seq 17); do
  echo "h$i = lay@b$i(h$((i - 1)) over a)"
  case $((i % 4)) in
    1) echo "loss aux$i = 0.01 * mean(h$i)" ;;
    3) echo "loss aux$i = 0.01 * mean(h$i * h$i)" ;;
  esac
done
echo 'loss mean(cross_entropy(h17, y over a))
train { optimizer = sgd(lr=1e-3)  steps = 5  microbatches = 2 }'; } >losses.mtf
cat >losses.layout <<'L'
hardware x { chip flops=60TF vector=5TF mem=16GB hbm=1TB/s launch=5us
 link c switch size=4 bw=100GB/s lat=0.2us
 link o tree size=8 bw=50GB/s lat=0.5us }
set recompute=none
L
expect 0 plan losses.mtf --hardware x --processors 2 --axes 1 --keep losses.layout --json
cp out plan.json
(cat losses.layout; echo 'pipeline "b*" { stages = 12+6 }') >losses_cut.layout
expect 0 cost losses.mtf --hardware x --layout losses_cut.layout --json
/usr/bin/python3 -c 'import json
plan, cut = json.load(open("plan.json")), json.load(open("out"))
assert not plan["proved"] or cut["step_seconds"] >= plan["best"]["step_seconds"] * (1 - 1e-9), (plan["best"], cut["step_seconds"])' ||
  fail "stages of 12+6 blocks are faster"
done_testing
