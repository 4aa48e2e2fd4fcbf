# verify finds a mistake of 1e-3 planted in one instruction, and takes no rounding for one.
. "$(dirname "$0")/lib.sh"
/usr/bin/python3 -c '' 2>/dev/null || { echo "skipped: no /usr/bin/python3"; exit 77; }
stories=$TREE/models/data/stories.txt

# Rounding: values that are near zero before a relu, over several layers.
expect 0 verify "$TREE/models/distillation.mtf" -D batch=12 -D length=24 --steps 1 --layout "$TREE/models/layouts/distillation/mp.layout"
gpt=("$TREE/models/gpt.mtf" --set "data.text=chars(\"$stories\")" -D layers=1 -D d_model=24 -D heads=4 -D vocab=32 -D batch=8 -D length=8)
expect 0 verify "${gpt[@]}" --steps 2 --layout "$TREE/models/layouts/gpt/dp_mp.layout" --json
json out "all(d['verdict'] in ('ok', 'rounding') and d['f64']['absolute'] <= d['f64']['allowed'] for d in o['differences'])"
json out "{'loss', 'eval loss', 'grad.wte', 'wte', 'optimizer.m.wte'} <= {d['name'] for d in o['differences']}"

# What is zero in exact arithmetic: a bias that a mean takes away again, under optimisers that
# divide a gradient by its size.
for optimizer in "adam(lr=0.01)" "rmsprop(lr=0.01)"; do
  cat >zero.mtf <<M
dim batch = 24, d = 12, h = 24
input x[batch, d] from gaussian(seed=7)
param w[d, h] ~ normal(0.5)
param b[h] ~ normal(0.5)
y = einsum(x, w over d) + b
z = y - mean(y over batch)
loss mean(z^4 over batch, h)
train { optimizer = $optimizer  steps = 10 }
M
  expect 0 verify zero.mtf --mesh "r:2;c:3" --rules "batch:r;h:c"
  expect 0 verify zero.mtf --mesh "r:6" --rules "batch:r"
done

# A parameter that is called like the gradient of another.
cat >grad.mtf <<'M'
dim batch = 4, d = 8
input x[batch, d] from gaussian(seed=7)
block scaled(x) {
  param w[d] ~ normal(0.1)
  return x * w
}
param w[d] = 1
loss mean(scaled@grad(x) * w)
train { optimizer = sgd(lr=0.1)  steps = 2 }
M
expect 0 verify grad.mtf
json_verify() { expect 0 verify grad.mtf "$@" --json && json out "all(d['verdict'] == 'ok' for d in o['differences'])"; }
json_verify
json_verify --mesh "r:2" --rules "batch:r"

# What is no number in both runs is equal, and proves nothing.
cat >nan.mtf <<'M'
dim batch = 8, d = 4
input x[batch, d] from gaussian(seed=1)
param w[d] = 0.0
loss mean(einsum(x, w over d) / sum(w))
train { optimizer = sgd(lr=0.1)  steps = 3 }
M
for how in "" "--mesh r:2 --rules batch:r" "--tolerance 1e-4"; do
  expect 6 verify nan.mtf $how
  says out "not a number in both"
  says out "so that nothing is proved"
  says err "E601"
  says err "\`mtfc train\` of the same model names the operation"
done
expect 6 verify nan.mtf --mesh r:2 --rules batch:r --json
json out "not o['ok'] and [d['verdict'] for d in o['differences'] if d['name'] == 'loss'] == ['not a number in both']"
json out "{d['name'] for d in o['differences'] if not d['ok']} == {'loss', 'eval loss', 'w'}"
sed 's/^loss.*/loss mean(einsum(x, w over d))\nmetric m = log(0 * mean(x) - 1)/' nan.mtf >metric.mtf
expect 0 verify metric.mtf --mesh r:2 --rules batch:r
says out "not a number in both"
says err "\`eval m\` is not finite under the layout and on one processor alike, which proves nothing"
# What f32 cannot hold f64 can, and there it is compared.
sed 's/^loss.*/loss mean(exp(einsum(x, w over d) + 100))/; s/steps = 3/steps = 1/; s/lr=0.1/lr=0/' nan.mtf >large.mtf
expect 0 verify large.mtf --mesh r:2 --rules batch:r
says out "not a number in both"
says err "all losses, parameters and states are finite in f64"
expect 6 verify large.mtf --mesh r:2 --rules batch:r --tolerance 1e-4

# Messages in bf16, and 16-bit precisions: f64 decides, and both figures are shown.
printf 'mesh rows=4\nbatch:rows\nset wire=bf16\n' >wire.layout
expect 0 verify "$TREE/models/mnist.mtf" -D batch=24 -D hidden1=24 -D hidden2=24 --layout wire.layout
says out "in f64"
says out "rounding, since in f64 the same programs agree"
expect 3 verify "$TREE/models/mnist.mtf" -D batch=24 -D hidden1=24 -D hidden2=24 --layout wire.layout --tolerance 1e-5
says err "beyond the tolerance"
expect 0 verify "${gpt[@]}" --steps 1 --set train.precision=f16 --layout "$TREE/models/layouts/gpt/dp_mp.layout"

# planted NAME FROM TO: the dump with one piece of it changed is found out.
planted() {
  /usr/bin/python3 - "$2" "$3" <<'P' || fail "$1: not in the dump"
import sys
text = open("good.dump").read()
assert sys.argv[1] in text
open("bad.dump", "w").write(text.replace(sys.argv[1], sys.argv[2], 1))
P
  expect 3 verify "${split[@]}" --start-from bad.dump
  says err E602
  says out DIFFERS
}
split=("${gpt[@]}" --layout "$TREE/models/layouts/gpt/dp_mp.layout")
expect 0 verify "${split[@]}" --dump-after fuse-maps
cp out good.dump
grep -q 'constant 1e-08' good.dump || fail "the dump has no epsilon"
expect 0 verify "${split[@]}" --start-from good.dump
expect 0 emit "${split[@]}" --backend json --dump-after fuse-maps
cp out plain.dump
expect 2 verify "${split[@]}" --start-from plain.dump  # which does not fetch gradients
says err "not one of this model and command"
planted "epsilon of the optimiser" "constant 1e-08" "constant 1.001e-08"
planted "epsilon of a norm" "constant 1e-05" "constant 1.001e-05"
/usr/bin/python3 - <<'P'
text = open("good.dump").read()
start = text.index("program eval ")
open("bad.dump", "w").write(text[:start] + text[start:].replace("constant 1e-05", "constant 1.001e-05", 1))
P
expect 3 verify "${split[@]}" --start-from bad.dump
says out "eval loss"
# Attention that is trained tile by tile is verified so: what is in tiles is not fetched, which would store it.
split=("${gpt[@]}" -D batch=16 -D length=320 --steps 1 --mesh rows:2 --rules batch:rows)
expect 0 verify "${split[@]}" --dump-after tile-products
cp out good.dump
grep -q 'causal=\[length, memory\]' good.dump || fail "the steps that verify takes have no tiles"
planted "scale of scores in a tile" "constant 2.449489742783178" "constant 2.4519"
done_testing
