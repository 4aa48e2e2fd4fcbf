# microbatches = n: every command takes it, and every number stays.
. "$(dirname "$0")/lib.sh"

# Inputs that are called like what programs are fed with besides.
for name in x step steps examples first_example microbatch position; do
  cat >named.mtf <<M
use "nn.mtf"
dim batch = 8, d = 4
input $name[batch, d] from gaussian(seed=1)
param w[d] ~ normal(1)
h = dropout($name * w, 0.5)
loss mean(square(h - 1))
train { optimizer = adam(lr=cosine(peak=0.01))  steps = 2  eval_every = 1  microbatches = 2 }
M
  expect 0 train named.mtf --log named.jsonl
  sed 's/"seconds":[^,}]*//' named.jsonl >$name.losses
  diff x.losses $name.losses || fail "an input called $name"
done
model=$TREE/tests/cli/microbatches.mtf
split=(--mesh "rows:2;cols:2" --rules "batch:rows;hidden:cols")
f64=(--set train.precision=f64)

# close A B TOLERANCE: the same tensors, as close as that.
close() {
  /usr/bin/python3 - "$@" <<'PY' || fail "$1 and $2 differ"
import sys
try:
    import numpy as np
except ImportError:
    sys.exit(0)
from checkpoint import load
a, b, tolerance = load(sys.argv[1]), load(sys.argv[2]), float(sys.argv[3])
assert set(a) == set(b), set(a) ^ set(b)
for name in a:
    if a[name].dtype.kind not in "fib":
        continue
    x, y = a[name].astype(float), b[name].astype(float)
    assert x.shape == y.shape, name
    apart = np.abs(x - y).max(initial=0) / max(np.abs(x).max(initial=0), 1e-30)
    assert apart < tolerance, (name, apart)
PY
}

one=(--set train.microbatches=1)
expect 0 train "$model" "${f64[@]}" "${one[@]}" --dump-tensors plain.npz -o plain
for n in 2 4; do
  parts=(--set train.microbatches=$n)
  expect 0 train "$model" "${f64[@]}" "${parts[@]}" --dump-tensors parts.npz -o "one$n"
  close plain.npz parts.npz 1e-12
  close plain "one$n" 1e-12
  expect 0 train "$model" "${f64[@]}" "${parts[@]}" "${split[@]}" --replicas all --dump-tensors parts.npz -o "four$n"
  close plain.npz parts.npz 1e-12
  close plain "four$n" 1e-12
done
expect 0 train "$model" "${one[@]}" --dump-tensors plain.npz
expect 0 train "$model" --set train.microbatches=4 "${split[@]}" --dump-tensors parts.npz
close plain.npz parts.npz 2e-5

# What a step costs is what it does.
parts=(--set train.microbatches=4)
expect 0 cost "$model" "${parts[@]}" "${split[@]}"
tr -s '\n ' ' ' <out >words
says words "of 4 micro-batches (measure, accumulate on each; seed, apply)"
expect 0 cost "$model" "${parts[@]}" "${split[@]}" --json
cp out cost.json
expect 0 train "$model" "${parts[@]}" "${split[@]}" --json
cp out train.json
/usr/bin/python3 - <<'PY' || fail "cost and counters differ"
import json
cost, train = (json.load(open(f + ".json")) for f in ("cost", "train"))
keys = ("kind", "axes", "elements_per_processor", "bytes_per_processor")
short = lambda o: [tuple(c[k] for k in keys) for c in o["collectives"]]
assert short(cost) == short(train)
assert cost["flops"] == train["flops"]
PY

expect 0 verify "$model" "${parts[@]}" "${split[@]}"
expect 0 emit "$model" "${parts[@]}" "${split[@]}" --backend json
tr -d ' \n' <out >flat
grep -q '{"program":"measure","microbatches":4},{"program":"seed","microbatches":1},{"program":"accumulate","microbatches":4},{"program":"apply","microbatches":1}' flat ||
  fail "the JSON lacks the step"
expect 0 emit "$model" "${parts[@]}" "${split[@]}" --dump-after fuse-maps
cp out program.dump
expect 0 train "$model" "${parts[@]}" "${split[@]}" --start-from program.dump --log again.jsonl
expect 0 train "$model" "${parts[@]}" "${split[@]}" --log first.jsonl
[ "$(sed 's/,"seconds":[^,}]*//' again.jsonl)" = "$(sed 's/,"seconds":[^,}]*//' first.jsonl)" ] ||
  fail "a dump trains otherwise"

# Memory falls with the number of parts.
kept() { expect 0 cost "$model" -D batch=4096 --set train.microbatches="$1"; sed -n 's/^ *activations  *//p' out; }
[ "$(kept 1)" != "$(kept 8)" ] || fail "memory does not fall"

# An evaluation of more than means takes the whole batch; it counts where the run has one.
big=("$model" -D batch=4096 --set train.microbatches=64)
expect 0 cost "${big[@]}"
says out "memory in an evaluation"
expect 0 cost "${big[@]}" --json
json out 'o["evaluation_memory"]["per_processor"] > 2 * o["memory"]["per_processor"] > o["first_values_memory"]["per_processor"]'
expect 0 cost "${big[@]}" --budget "memory<=10GB"
for option in "" "--hardware h100"; do
  # shellcheck disable=SC2086
  expect 5 cost "${big[@]}" --budget "memory<=1kB" $option
  grep -q "in an evaluation," err || fail "a budget that an evaluation exceeds: $(cat err)"
done
{ cat "$TREE/models/mnist.mtf" && echo "metric highest = max(logits)"; } >whole.mtf
whole=(whole.mtf -D batch=8000 --set train.microbatches=80)
expect 0 cost "${whole[@]}"
says out "memory in an evaluation"
expect 0 cost "${whole[@]}" --set "data.digits=digits(eval_count=0)"
! grep -q "in an evaluation" out || fail "an evaluation that there is not"

# One of means takes a micro-batch at a time, and says the same: here a part of the last is padding.
digits=("$TREE/models/mnist.mtf" -D batch=40 --set "data.digits=digits(eval_count=67)" --set train.steps=2 "${f64[@]}")
told() { sed 's/"loss":[0-9.]*,"eval_loss"/"loss"/' out | grep -o '"loss":[0-9.]\{12\}\|"accuracy":[0-9.]*' >"$1"; }
for n in 1 4; do
  expect 0 train "${digits[@]}" --set train.microbatches=$n --mesh rows:2 --rules batch:rows -o digits$n --json
  told digits$n.said
  expect 0 eval --checkpoint digits$n --set train.microbatches=$((5 - n)) --json
  told digits$n.again
done
[ "$(wc -l <digits1.said)" -gt 1 ] || fail "nothing is said of an evaluation: $(cat out)"
for said in digits4.said digits1.again digits4.again; do
  diff digits1.said $said || fail "an evaluation on micro-batches"
done
expect 0 cost "$TREE/models/mnist.mtf" -D batch=8000 --set train.microbatches=80
! grep -q "in an evaluation" out || fail "an evaluation takes more than a micro-batch"

losses() { grep -o '"loss":[0-9.]*' "$1" | cut -c8-19; }

# What is said of examples, and views that keep them apart, are those of the whole batch.
cat >views.mtf <<'M'
dim batch = 8, d = 6, n = batch * d, p = 2, q = batch / p
input x[batch, d] from gaussian(seed=1, fixed=true)
param w[d] ~ normal(1)
y = (x * w)[(batch, d) -> n] * f32(index(n))
u = y[n -> (p, q, d)] * f32(index(q))
loss mean(u^2) + f32(any(x > 1)) + 10 * f32(all(x < 9)) + 100 * f32(any(x > 9)) + 1000 * f32(all(x < 1))
train { optimizer = sgd(lr=0.1)  steps = 2 }
M
for n in 1 2 4; do
  expect 0 train views.mtf --set train.microbatches=$n "${f64[@]}" --log "views$n"
  [ "$(losses "views$n")" = "$(losses views1)" ] || fail "views of $n micro-batches differ"
done

expect 1 train "$model" --set train.microbatches=3
says err "a batch of 16 cannot be split into 3 micro-batches"
expect 1 train "$model" --set train.microbatches=8 --mesh rows:4 --rules batch!:rows
says err "microbatches = 8"
expect 0 train "$model" --set train.microbatches=8 --mesh rows:4 --rules batch:rows
says err "\`batch\` (2) is padded to 4"
says err "microbatches = 8"
says err "W422"
expect 0 check "$model" --set train.microbatches=2
# What makes no training step takes any batch.
expect 0 run "$model" z -D batch=3 -o z.npz
# Every named tensor is shown, also samples and positions that no loss needs.
cat >shown.mtf <<'M'
dim batch = 8, d = 3
input x[batch, d] from gaussian(seed=1)
u[batch] ~ uniform(0, 1)
n[d] ~ normal(1)
t = f32(index(d))
p = index(batch)
v = x * 2
param w[d] = 1
loss mean((x * w)^2)
train { optimizer = sgd(lr=0.1)  steps = 1 }
M
for count in 1 2 4; do
  expect 0 train shown.mtf --dump-tensors shown$count.npz --set train.microbatches=$count
done
/usr/bin/python3 - <<'P' || fail "tensors of micro-batches are not those of the batch"
import numpy as np
whole = np.load("shown1.npz")
assert {"u", "n", "t", "p", "v"} <= set(whole.files)
for count in (2, 4):
    parts = np.load(f"shown{count}.npz")
    assert set(parts.files) == set(whole.files), parts.files
    for name in ("u", "n", "t", "p", "v", "x"):
        assert (parts[name] == whole[name]).all(), name
P
# A total that stands twice: the line that uses it for examples is named.
cat >twice.mtf <<'M'
dim batch = 12, c = 5
input x[batch, c] from gaussian(seed=1, fixed=true)
param w[c] = 0.3
state nr[] = 0
update nr = sqrt(sum(square(mean(x over batch))))
centred = x - mean(x over batch)
loss mean(square(einsum(centred, w over c) - 1))
train { optimizer = sgd(lr=0.1)  steps = 1  microbatches = 2 }
M
expect 0 check twice.mtf
says err "twice.mtf:5:"
says err "6 | centred = x - mean(x over batch)"
says err "as here"

# Random numbers that are the same in every step are evaluated as a whole, too.
cat >fixed.mtf <<'M'
dim batch = 4
input x[batch] from gaussian(seed=1, fixed=true)
param w[] = 0
loss mean(x + w)
train { optimizer = sgd(lr=0)  steps = 1 }
M
for parts in 1 2 4; do
  expect 0 train fixed.mtf --set train.microbatches=$parts
  says out "loss -0.2462; eval loss -0.2462"
done
done_testing
