# precision = bf16 and f16: a small GPT learns as in f32, takes half the memory for activations, and
# gives the same bits for any number of threads and replicas, and losses near each other under
# other layouts.
. "$(dirname "$0")/lib.sh"
/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "skipped: no NumPy"; exit 77; }
for i in $(seq 300); do echo "line $i: the quick brown fox jumps over $((i * i)) lazy dogs."; done >text.txt
model=$TREE/models/gpt.mtf
small=(--set data.text=text.txt -D layers=2 -D d_model=64 -D vocab=48 --set train.eval_every=1000)
nightly || small+=(-D batch=8 -D length=32)
layout=(--layout "$TREE/models/layouts/gpt/dp_mp.layout")

# What a `repeat` carries keeps the half type, though a sum is f32.
cat >carried.mtf <<'M'
dim batch = 8, d = 4, e = 4, layers = 2
input x[batch, d] from gaussian(seed=1)
block b(x) {
  param w[d, e] ~ normal(0.1)
  return sum(tanh(x * w) over d)[e -> d]
}
h = x
repeat layers { h = b(h) }
loss mean(square(h))
train { optimizer = sgd(lr=0.1)  steps = 2 }
M
for precision in f32 bf16 f16; do
  expect 0 train carried.mtf --set train.precision=$precision
done

# log NAME PRECISION ARGS...
log() {
  expect 0 train "$model" "${small[@]}" --steps "${steps:-40}" --set "train.precision=$2" --log "$1" "${@:3}"
}
few=8 # the first so many losses are compared bit by bit
losses() { grep '"loss"' "$1" | sed 's/,"seconds":[^,}]*//' | head -n $few; }
same_bits() { [ "$(losses "$1" | wc -l)" = $few ] && [ "$(losses "$1")" = "$(losses "$2")" ]; }

log f32.jsonl f32
# What a maximum is taken of is computed again for the gradient, from rounded numbers: it must have the same bits, or
# nothing is the largest, and probabilities are those of other scores.
cat >largest.mtf <<'M'
dim b = 16, m = 20, d = 8
input x[b, d] from gaussian(seed=1)
input r[b, m] from gaussian(seed=2)
param w[d, m] ~ normal(0.5)
h = einsum(x, w over d)
s = 50 * tanh(h / 5)
s = where(index(b) < 12, s, -3000)
keep[b, m] ~ bernoulli(0.8)
loss sum(max(5 * tanh(h / 9) over m)) + sum(where(keep, softmax(s over m), 0) * r)
train { optimizer = sgd(lr=0.01)  steps = 1 }
M
for type in f32 bf16 f16; do
  expect 0 run largest.mtf w --gradients --training --set train.precision=$type -o largest-$type.npz
done
/usr/bin/python3 - <<'P' || fail "gradients of what a maximum is taken of"
import numpy as np
right, near, nearer = (np.load(f"largest-{t}.npz")["grad.w"].astype(float) for t in ("f32", "bf16", "f16"))
for made, bound in ((near, 0.2), (nearer, 0.05)):
    error = abs(made - right).max() / abs(right).max()
    assert error < bound, (error, bound)
P

# A long chain in front of a maximum, each value of which is read twice.
printf '%s\n' 'dim batch = 2, d = 4' 'input x[batch, d] from gaussian(seed=1)' 'param w[d] = 1' 'h = x * w' \
  'repeat@r 60 { h = 0.5 * (h + tanh(h)) }' 'loss sum(max(h over d))' 'train { optimizer = sgd(lr=0.1)  steps = 1 }' >chain.mtf
timeout 20 "$MTFC" cost chain.mtf >out 2>&1 || fail "a long chain in front of a maximum"

for type in bf16 f16; do
  log $type.jsonl $type -o run-$type
  steps=$few log again.jsonl $type -j 1
  same_bits again.jsonl $type.jsonl || fail "$type: threads change the bits"
  log split-$type.jsonl $type "${layout[@]}"
  steps=$few log again.jsonl $type "${layout[@]}" -j 1 --replicas all
  same_bits again.jsonl split-$type.jsonl || fail "$type: replicas, other bits"
  expect 0 cost "$model" "${small[@]}" --set train.precision=$type --json
  cp out cost-$type.json
  expect 0 verify "$model" "${small[@]}" --set train.precision=$type "${layout[@]}" --steps 2
  says out "rounding, since in f64 the same programs agree"
  expect 3 verify "$model" "${small[@]}" --set train.precision=$type "${layout[@]}" --tolerance 1e-5
done
expect 0 cost "$model" "${small[@]}" --json
cp out cost-f32.json
expect 0 run "$model" x logits lnf.g "${small[@]}" --set train.precision=bf16 --gradients -o t.npz
/usr/bin/python3 - <<'P' || fail "precision"
import json
import numpy as np
from checkpoint import load

def losses(name):
    return np.array([o["loss"] for o in map(json.loads, open(name)) if "loss" in o])

whole = losses("f32.jsonl")
assert whole[-1] < 0.9 * whole[0], whole
for kind, near in (("bf16", 4e-3), ("f16", 1e-3)):
    for other in (f"{kind}.jsonl", f"split-{kind}.jsonl"):
        apart = np.max(np.abs(losses(other) - whole) / whole)
        assert 0 < apart < near, (other, apart)
    # What is kept (parameters and the optimiser's state) stays; the step's own memory halves.
    cost = [json.load(open(f"cost-{k}.json")) for k in ("f32", kind)]
    kept = cost[0]["parameters"] * 4 * 3
    step = [c["memory"]["per_processor"] - kept for c in cost]
    assert 0.45 < step[1] / step[0] < 0.6, (kind, step)
# bf16 tensors are stored as f32: what they hold are bf16 numbers. Gradients of parameters are f32.
t = np.load("t.npz")
for name in ("x", "logits", "grad.x"):
    assert t[name].dtype == np.float32, (name, t[name].dtype)
    assert np.all(t[name].view(np.uint32) & 0xFFFF == 0), name
assert np.any(t["grad.lnf.g"].view(np.uint32) & 0xFFFF != 0)
# Parameters are saved in f32.
saved = load("run-bf16")
for name in saved:
    assert saved[name].dtype == np.float32 or saved[name].ndim == 0, name
P

# Half types as they are written: inputs are fed rounded, a parameter is updated in f32 and rounded.
cat >typed.mtf <<'M'
dim batch = 8, d = 16
input x[batch, d]: bf16 from gaussian(seed=1, fixed=true)
input z[batch, d]: f16 from gaussian(seed=1, fixed=true)
input y[batch, d] from gaussian(seed=1, fixed=true)
param w[d]: bf16 = 0.1
param v[d]: f16 = 0.1
loss mean((f32(x * w) - 1)^2) + mean((f32(f16(y) * v) - 1)^2)
train { optimizer = adamw(lr=0.01)  clip = 1  steps = 30 }
M
expect 0 train typed.mtf --log typed.jsonl --mesh rows:2 --rules d:rows --replicas all
expect 0 run typed.mtf x y z w -o typed.npz
/usr/bin/python3 - <<'P' || fail "typed.mtf"
import json
import numpy as np
t = np.load("typed.npz")
assert np.array_equal(t["z"], t["y"].astype(np.float16))
bits = t["y"].view(np.uint32)
nearest = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
assert np.array_equal(t["x"].view(np.uint32), nearest)
loss = [o["loss"] for o in map(json.loads, open("typed.jsonl")) if "loss" in o]
assert loss[-1] < loss[0], loss
P
# A gradient of a parameter is f32 wherever it is added up: on one processor, over processors, by micro-batches.
cat >products.mtf <<'M'
dim b = 8, d = 6, e = 4, f = 4
input x[b, d] from gaussian(seed=1)
param w[d, e] ~ normal(0.3)
param v[e, f] ~ normal(0.3)
z = einsum(tanh(einsum(x, w over d)), v over e)
loss mean(square(z - 1))
train { optimizer = sgd(0.01)  steps = 1  precision = bf16 }
M
grads() { expect 0 train products.mtf --dump-tensors "$1.npz" "${@:2}"; }
grads one
grads split --mesh r:2 --rules b:r
grads shards --mesh r:2 --rules 'b:r; param "**" { e:r }' --set train.microbatches=2
expect 0 train products.mtf --mesh r:2 --rules 'b:r; param "**" { e:r }' --set train.microbatches=2 --dump-after fuse-maps
grep -q 'bf16.* = reduce_scatter' out && fail "gradients are added in bf16"
/usr/bin/python3 - <<'P' || fail "gradients of parameters are rounded"
import numpy as np
all_ = [np.load(f"{n}.npz")["grad.w"] for n in ("one", "split", "shards")]
for each in all_:
    assert np.any(each.view(np.uint32) & 0xFFFF != 0)
    assert np.max(np.abs(each - all_[0])) < 1e-6 * np.max(np.abs(all_[0])), (each, all_[0])
P
# A parameter on shards that is cast by hand.
cat >cast.mtf <<'M'
dim n = 8, d = 6
input x[n, d] from gaussian(seed=2)
param g[d] = 1
loss mean(square(f32(x) * f32(g) - 1)) + mean(logsumexp(g over d))
train { optimizer = adam(0.1)  steps = 2  precision = bf16 }
M
expect 0 verify cast.mtf --mesh r:2 --rules 'n:r; param "**" { d:r }'

# A loss scale that adapts comes and goes with settings: a run that is resumed says which.
cat >scaled.mtf <<'M'
dim b = 4, n = 3
input x[b, n] from gaussian(seed=1)
param w[n] ~ normal(0.1)
loss mean((x * w - 1)^2)
train { optimizer = sgd(lr=0.1)  steps = 2 }
M
expect 0 train scaled.mtf -o scaled
for setting in "precision=f16" "loss_scale=dynamic()"; do
  expect 3 train --resume scaled --steps 4 --set "train.$setting"
  says err "the run has no loss scale that adapts, and here there is one"
  [ "$(grep -c E511 err)" -eq 1 ] || fail "E511 is not said once"
  ! grep -q "frozen" err || fail "a reason that is none"
done
expect 0 train --resume scaled --steps 3 --set train.precision=f16 --set train.loss_scale=1024
expect 0 train scaled.mtf -o adapts --set train.precision=f16
expect 3 train --resume adapts --steps 4 --set train.precision=f32
says err "the run has a loss scale that adapts, and here there is none"
[ "$(grep -c E511 err)" -eq 1 ] || fail "E511 is not said once"

# Many parts of a gradient in 16 bits (of a weight that is computed, and of one that is indexed) are added up in f32 and
# rounded once.
cat >many.mtf <<'M'
dim batch = 8, n = 200, two = 2, d = 16
input z[batch, d] from gaussian(seed=1)
param w[two, d, d'] ~ normal(0.3)
param c[d, d'] ~ normal(0.3)
cc = tanh(c)
total[] = 0
repeat i in n {
  y = einsum(z * (1 + 0.001 * i), w[two = i % 2] over d)[d' -> d] + einsum(z * 0.01 * i, cc over d)[d' -> d]
  total = total + mean(sigmoid(y))
}
loss total / n
train { optimizer = sgd(lr=0.01)  steps = 1 }
M
for precision in f64 bf16; do
  expect 0 train many.mtf --set train.precision=$precision --dump-tensors $precision.npz
done
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  /usr/bin/python3 - <<'P' || fail "gradients in bf16 are off"
import numpy as np
exact, half = np.load("f64.npz"), np.load("bf16.npz")
for name in ("grad.w", "grad.c"):
    wanted = exact[name].astype("f8")
    off = np.linalg.norm(half[name].astype("f8") - wanted) / np.linalg.norm(wanted)
    assert off < 0.008, (name, off)
P
fi
# A number that fills a shape becomes a half one where it yields, never an infinite one.
cat >masked.mtf <<'M'
dim batch = 4, d = 6
input z[batch, d] from gaussian(seed=1)
param w[d, d'] ~ normal(0.3)
masked[batch, d] = -1e9
p = softmax(where(index(batch) > 0, einsum(z, w over d)[d' -> d], masked) over d)
loss mean(p * z)
train { optimizer = sgd(lr=0.01)  steps = 3  precision = f16 }
M
expect 0 train masked.mtf
done_testing
