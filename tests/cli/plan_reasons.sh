# What `plan` says beside the best layout, against `cost`: what each line of the file buys, what is faster with slower
# links, and what the layouts of its tables hold in a run.
. "$(dirname "$0")/lib.sh"
/usr/bin/python3 -c '' 2>/dev/null || { echo "skipped: no /usr/bin/python3"; exit 77; }

cat >scopes.mtf <<'M'
use "nn.mtf"
use "transformer.mtf"
dim batch = 4800, a = 48, f = 96, c = 2400
input x[batch, a] from gaussian(seed=1)
input y[batch]: int from gaussian_labels(seed=2, classes=c)
h = relu(dense@p(x, bias=false over a -> f))
h = layer_norm@n(h over f)
metric mx = max(h)
loss mean(cross_entropy(dense@o(h, bias=false over f -> c), y over c))
train { optimizer = adafactor(lr=1e-2)  steps = 5  microbatches = 2 }
M
# machine BANDWIDTH LINES: hardware x, with so fast links.
machine() {
  printf 'hardware x { chip flops=60TF vector=5TF mem=16GB hbm=1TB/s launch=%s\n link c tree size=2 bw=%s lat=0.2us\n link o tree size=8 bw=%s lat=0.5us }\n' "$2" "$1" "$1"
}
machine 0.5GB/s 5us >x.layout
expect 0 plan scopes.mtf --hardware x --keep x.layout --processors 4 --axes 3 --stages 1 --memory 25604224B --time 4 -o best.layout
[ "$(grep -c '^in "' best.layout)" -ge 2 ] || fail "no scopes: $(cat best.layout)"
# Each line with a comment is left out, alone.
while IFS=: read -r line text; do
  sed "${line}d" best.layout >without.layout
  expect 0 cost scopes.mtf --layout without.layout --hardware x --json
  printf '%s\n%s\n' "$text" "$(cat out)" >pair
  /usr/bin/python3 - <<'P' || fail "line $line of the layout: $(head -n 1 pair), not $(cat said)"
import json, re, sys
text, cost = open("pair").read().split("\n", 1)
o = json.loads(cost)
units = {"us": 1e-6, "ms": 1e-3, "s": 1, "kB": 1e3, "MB": 1e6}
said = [float(a) * units[u] for a, u in re.findall(r"([\d.]+) (us|ms|s|kB|MB)\b", text.split("without it")[1])]
true = [o["step_seconds"], o["run_memory"]["per_processor"]]
open("said", "w").write(str((said, true)))
sys.exit(any(abs(a / b - 1) > 0.01 for a, b in zip(said, true)))
P
done < <(grep -n '# without it' best.layout)

# What is named for slower links is faster beyond the range, and not before.
slow() { printf 'hardware m { chip flops=900TF vector=60TF mem=80GB hbm=3TB/s launch=2us\n link c switch size=4 bw=%s lat=2us }\n' "$1"; }
slow 450GB/s >m.layout
expect 0 plan "$TREE/models/two_layer.mtf" -D batch=4096 --hardware m --keep m.layout --processors 2 --axes 1 --stages 1 --time 4 --json
json out 'o["proved"] and o["stable"][0]["below"]'
cp out plan.json
# step_of RULES BANDWIDTH: picoseconds.
step_of() {
  { printf 'mesh all=2\n%s\n' "$(tr ';' '\n' <<<"$1")"; slow "$2"; } >one.layout
  expect 0 cost "$TREE/models/two_layer.mtf" -D batch=4096 --layout one.layout --hardware m --json
  step=$(/usr/bin/python3 -c 'import json; print(round(json.load(open("out"))["step_seconds"] * 1e12))')
}
field() { /usr/bin/python3 -c "import json; o = json.load(open('plan.json')); print($1)"; }
for side in 0.95 1.05; do
  bandwidth=$(field "'%.6gB/s' % (o['stable'][0]['predicted_from'] * $side)")
  step_of "$(field 'o["best"]["rules"]')" "$bandwidth"
  best=$step
  step_of "$(field 'o["stable"][0]["below"]["rules"]')" "$bandwidth"
  case $side in
    0.95) [ "$step" -lt "$best" ] || fail "what is named is not faster with $bandwidth: $step, $best ps" ;;
    1.05) [ "$step" -gt "$best" ] || fail "the best is not the fastest with $bandwidth: $best, $step ps" ;;
  esac
done

# Pipelines whose evaluations take whole batches hold more there than in a step, which all tables say.
cat >whole.mtf <<'M'
use "nn.mtf"
dim batch = 960, a = 48, f = 96, c = 24, layers = 2
input x[batch, a] from gaussian(seed=1)
input y[batch]: int from gaussian_labels(seed=2, classes=c)
h = relu(dense@p(x, bias=false over a -> f))
repeat layers { h = h + dense@q(h, bias=false over f -> f) }
metric mx = max(h)
loss mean(cross_entropy(dense@o(h, bias=false over f -> c), y over c))
train { optimizer = adam(lr=1e-3)  steps = 5  microbatches = 8 }
M
machine 5GB/s 0.5us | sed 's/c tree size=2/c switch size=4/' >x.layout
expect 0 plan whole.mtf --hardware x --keep x.layout --processors 2 --axes 1 --time 6 --json
json out 'o["proved"] and "pipeline" in o["best"]["rules"] and all(
  (p["counts_run"] and p["memory"] > 2e6) for p in o["frontier"][:1] + o["rivals"] if "pipeline" in p["rules"])'
json out 'len(o["frontier"]) > 3 and not any("pipeline" in p["rules"] for p in o["frontier"][1:])'
done_testing
