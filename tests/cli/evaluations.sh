# What evaluations give does not depend on the batch size; schedules over epochs know their end.
. "$(dirname "$0")/lib.sh"
/usr/bin/python3 -c '' 2>/dev/null || { echo "skipped: no /usr/bin/python3"; exit 77; }
cat >m.mtf <<'M'
dim batch = 100, row = 28, col = 28, class = 10, flat = batch * class, other = batch
data digits = digits(seed=1, count=300, eval_count=130)
input image[batch, row, col] from digits.image
input label[batch]: int from digits.label
param w[row, col, class] ~ normal(0.01)
logits = einsum(image, w over row, col)
u[class, batch] ~ uniform(0, 1)
loss mean(cross_entropy(logits, label over class))
metric drawn = mean(sum(u over class) * f32(label))
metric perplexity = exp(mean(cross_entropy(logits, label over class)))
metric accuracy = mean(argmax(logits over class) == label)
metric large = mean(f32(label), weight=label > 4)
# Means with a name, out of a block, and of what is renamed or merged.
block square(a) { return mean(a^2) }
entropy = mean(cross_entropy(logits, label over class))
metric several = entropy + square(f32(label))
metric renamed = mean(f32(label)[batch -> other])
metric merged = mean(relu(logits + 1)[(batch, class) -> flat])
metric chosen = mean((logits + f32(label))[(batch, class) -> flat], weight=(u > 0.3)[(batch, class) -> flat])
v[flat] ~ uniform(0, 1)
r[other] ~ normal(1)
metric drawn_alone = mean(v) + mean(r^2)
metric drawn_flat = mean(v[flat -> (batch, class)] * f32(label))
metric drawn_renamed = mean(r[other -> batch] + f32(label))
t[] ~ uniform(1, 2)
metric drawn_once = entropy * t
metric at_start = entropy * f32(step + 2)
train { optimizer = sgd(lr=linear(peak=0.5))  epochs = 1 }
M
for batch in 100 70 13; do
  expect 0 train m.mtf -D batch=$batch --set 'train.optimizer=sgd(lr=0)' --steps 1 --log b$batch.jsonl
done
expect 0 train m.mtf -D batch=10 --mesh rows:2 --rules batch:rows --set 'train.optimizer=sgd(lr=0)' \
  --steps 1 --log split.jsonl
/usr/bin/python3 - <<'P' || fail "evaluations depend on the batch size"
import json
last = lambda f: json.loads(open(f).readlines()[-1])
whole = last("b100.jsonl")
for other in ("b70.jsonl", "b13.jsonl", "split.jsonl"):
    found = last(other)
    for name, value in [("eval_loss", whole["eval_loss"]), *whole["metrics"].items()]:
        got = found.get(name, found["metrics"].get(name))
        assert abs(got - value) <= 2e-6 * abs(value), (other, name, got, value)
P

# What a view splits the batch into.
sed 's/other = batch/other = batch, two = 2, half = batch \/ two/; /^metric renamed/a metric halved = mean(f32(label)[batch -> (half, two)])' m.mtf >half.mtf
expect 0 train half.mtf -D batch=100 --set 'train.optimizer=sgd(lr=0)' --steps 1 --log half100.jsonl
expect 0 train half.mtf -D batch=12 --set 'train.optimizer=sgd(lr=0)' --steps 1 --log half12.jsonl
/usr/bin/python3 - <<'P' || fail "a mean over halves depends on the batch size"
import json
last = lambda f: json.loads(open(f).readlines()[-1])["metrics"]
a, b = last("half100.jsonl"), last("half12.jsonl")
for m in (a, b):
    assert abs(m["halved"] - m["renamed"]) <= 2e-6 * abs(m["renamed"]), m
assert abs(a["halved"] - b["halved"]) <= 2e-6 * abs(a["halved"]), (a, b)
P
# What else combines examples leaves padding out, too: of 23 examples the last batch has 3.
cat >combined.mtf <<'M'
dim batch = 20, other = batch, k = 2, d = 3
data t = csv("train.csv", eval="eval.csv")
input x[batch] from t.a
param w[d] = 1
y = einsum(x, w -> batch, d)
loss mean(y^2)
metric inner = mean(mean(x over batch))
metric total = einsum(y, y over batch, d)
metric largest = max(x)
metric smallest = min(x + 9)
metric deviation = mean((x - mean(x))^2)
metric lse = logsumexp(x over batch)
metric soft = einsum(softmax(x over batch), x over batch)
metric running = mean(cumsum(x over batch))
metric pairs = mean(mean(abs(x - x[batch -> other]) over other))
metric nearest = mean(min(where(index(batch) == index(other), 1e9, abs(x - x[batch -> other])) over other))
metric contrast = mean(cross_entropy(-(x - x[batch -> other])^2, index(batch) over other))
best, places = top_k(x over batch -> k)
metric second = min(best)
# A dimension that a view made of another one goes over no examples, though it is called like them; f16 counts to 65504.
param shift_by[n] = 0
bank[n, batch] = (x + shift_by)[batch -> n, n -> batch]
metric banked = max(sum(bank * 0 + 1 over batch))
metric halves = max(mean(f16(broadcast(x -> batch, wide)) over batch, wide))
train { optimizer = sgd(lr=0)  steps = 1 }
M
sed -i 's/^dim batch = 20, /dim batch = 20, n = batch, wide = 5000, /' combined.mtf
/usr/bin/python3 - <<'P'
import numpy as np
draw = np.random.default_rng(1)
for name, count in (("train", 20), ("eval", 23)):
    np.savetxt(name + ".csv", draw.normal(size=count) - 2, fmt="%.17g", header="a", comments="")
P
expect 0 train combined.mtf --log b20.jsonl
expect 0 train combined.mtf -D batch=8 --log b8.jsonl
expect 0 train combined.mtf --mesh "r:3;c:2" --rules "batch:r;other:c" --log split20.jsonl
expect 0 verify combined.mtf --mesh r:2 --rules "batch:r"
/usr/bin/python3 - <<'P' || fail "what combines examples counts padding"
import json
import numpy as np
a = np.loadtxt("eval.csv", skiprows=1)
apart = lambda b: np.abs(b[:, None] - b[None])
wanted = {
    "inner": np.mean, "total": lambda b: 3 * (b * b).sum(), "largest": np.max, "smallest": lambda b: b.min() + 9,
    "deviation": np.var, "lse": lambda b: np.log(np.exp(b).sum()), "soft": lambda b: (np.exp(b) * b).sum() / np.exp(b).sum(),
    "running": lambda b: np.cumsum(b).mean(), "pairs": lambda b: apart(b).mean(),
    "nearest": lambda b: (apart(b) + 1e9 * np.eye(len(b))).min(1).mean(),
    "contrast": lambda b: np.log(np.exp(-apart(b) ** 2).sum(1)).mean(), "second": lambda b: np.sort(b)[-2],
    "banked": None, "halves": np.mean}
for log, size in (("b20", 20), ("b8", 8), ("split20", 20)):
    found = json.loads(open(log + ".jsonl").readlines()[-1])["metrics"]
    batches = [a[i:i + size] for i in range(0, len(a), size)]
    for name, value in wanted.items():
        value = value or (lambda b: size)
        mean = np.average([value(b) for b in batches], weights=[len(b) for b in batches])
        assert abs(found[name] - mean) <= (1e-3 if name == "halves" else 1e-5) * abs(mean), (log, name, found[name], mean)
P

# Of examples paired with each other both are real: six at once are what they are in a batch with padding.
for count in 4 6; do { echo a; seq 1 $count; } >one_to_$count.csv; done
cat >pairs.mtf <<'M'
dim batch = 4, other = batch, third = batch, two = 2, flat = batch * two, swapped = two * batch, pair = batch * other
data log = csv("one_to_4.csv", eval="one_to_6.csv")
input a[batch] from log.a
param w[] = 1
b = a[batch -> other]
s[batch, other] = a * b
soft = softmax(a over batch)
merged[flat] = broadcast(a -> batch, two)[(batch, two) -> flat]
minor[swapped] = broadcast(a -> two, batch)[(two, batch) -> swapped]
loss mean(w * a)
metric both = mean(s)
metric rows = mean(sum(s over other))
metric columns = mean(sum(s over batch))
metric of_means = mean(mean(s over batch))
metric of_largest = mean(max(s - 50 over batch))
metric of_least = mean(min(s over batch))
metric of_lse = mean(logsumexp(s over batch))
metric of_einsum = mean(einsum(a, s over batch))
metric of_places = mean(f32(argmax(-s over batch) + 1))
metric rows_entropy = mean(cross_entropy(s, index(batch) over other))
metric columns_entropy = mean(cross_entropy(s, index(other) over batch))
metric weighted = mean(s + 1, weight=a > 2)
metric weighted_columns = mean(sum(s over batch), weight=b > 2)
metric running = mean(cumsum(s over batch))
metric running_columns = mean(cumsum(sum(s over batch) over other))
metric three = mean(s * a[batch -> third] + 1)
metric columns_of_three = mean(max(s * a[batch -> third] - 500 over batch, other))
metric within = mean(mean(s * a[batch -> third] + 1 over batch, other))
metric of_flat = mean(merged * b + 1)
metric flat_columns = mean(max(merged * b - 50 over flat))
metric of_minor = mean(minor * b + 1)
metric of_pairs = mean((s + 1)[(batch, other) -> pair])
metric pair_largest = max((s - 50)[(batch, other) -> pair])
metric pair_mean = mean(mean((s + 1)[(batch, other) -> pair] over pair) + w)
metric inner_mean = mean(mean(s + 1 over batch, other) * a)
metric soft_alone = mean(soft * a)
train { optimizer = sgd(lr=0) steps = 1 }
M
expect 0 train pairs.mtf -o pairs --log pairs4.jsonl
for batch in 6 8 9 12; do
  expect 0 eval --checkpoint pairs -D batch=$batch --json
  mv out pairs$batch.json
done
/usr/bin/python3 - <<'P' || fail "pairs of examples count padding"
import json
import numpy as np
find = lambda f: json.loads(open(f).readlines()[-1])["metrics"]
near = lambda a, b: abs(a - b) <= 1e-5 * abs(b)
whole = find("pairs6.json")
for size in (8, 9, 12):
    for name, value in find(f"pairs{size}.json").items():
        assert near(value, whole[name]), (size, name, value, whole[name])
# Of batches of four and two: what is pooled, of x[batch, other] = b * c.
wanted = {
    "both": np.outer, "rows": lambda b, c: b * c.sum(), "columns": lambda b, c: b * c.sum(),
    "of_means": lambda b, c: b * c.mean(), "of_largest": lambda b, c: b * c.max() - 50,
    "of_least": lambda b, c: b * c.min(), "of_einsum": lambda b, c: b * (c * c).sum(),
    "rows_entropy": lambda b, c: np.log(np.exp(np.outer(b, c)).sum(1)) - b * b,
    "columns_entropy": lambda b, c: np.log(np.exp(np.outer(b, c)).sum(1)) - b * b,
    "running_columns": lambda b, c: np.cumsum(b * c.sum()), "three": lambda b, c: np.outer(np.outer(b, c), b) + 1,
    "of_flat": lambda b, c: np.outer(b, c) + 1, "flat_columns": lambda b, c: b * c.max() - 50,
    "of_minor": lambda b, c: np.outer(b, c) + 1, "of_pairs": lambda b, c: np.outer(b, c) + 1,
    "soft_alone": lambda b, c: np.exp(b) / np.exp(b).sum() * b}
batches = [np.arange(1., 5), np.arange(5., 7)]
found = find("pairs4.jsonl")
for name, value in wanted.items():
    mean = np.concatenate([value(b, b).ravel() for b in batches]).mean()
    assert near(found[name], mean), (name, found[name], mean)
P
# Groups of examples, the last of which is half padding: of ten examples four, four and two.
cat >groups.mtf <<'M'
dim batch = 12, doc = 4, query = batch / doc, d = 3, minor = d * batch, twice = 2 * batch, again = batch, one = 1
data s = npy("x.npy", y="y.npy", holdout=0.5)
input x[batch, d] from s.data
input y[batch] from s.y
param w[d] = 1
flat = einsum(x, w over d)
score = flat[batch -> (query, doc)]
loss mean(cross_entropy(score, softmax(y[batch -> (query, doc)] over doc) over doc))
metric best = mean(max(score over doc))
metric mean_of_doc = mean(mean(score over doc))
metric sum_of_doc = mean(sum(score over doc))
metric lse = mean(logsumexp(score over doc))
metric of_query = max(sum(score over query))
metric least = min(score)
metric product = einsum(score, score over query, doc)
metric running = mean(cumsum(score over query))
metric soft = max(softmax(score over query, doc))
metric places = mean(f32(argmax(score over doc)))
metric first = mean(score[doc=0])
metric fourth = mean(score[doc=3])
metric largest_fourth = max(score[doc=3])
metric fourth_cut = mean(score[doc = 3:4 -> one])
ones[batch] = 1
metric by_ones = sum(flat) / sum(ones)
each[query] = 1
metric queries = sum(each)
metric centred = max((flat - 2 * mean(flat))^2)
metric lone = max(mean(score over query)[doc = 1])
metric merged = max(score[(query, doc) -> again])
metric minor_largest = max((x - 9)[(d, batch) -> minor])
metric minor_soft = max(softmax(x[(d, batch) -> minor] over minor))
metric joined = mean(concat(flat, 2 * flat over batch -> twice))
metric joined_least = min(concat(flat + 9, flat + 9 over batch -> twice))
train { optimizer = sgd(lr=0)  steps = 1 }
M
/usr/bin/python3 - <<'P'
import numpy as np
draw = np.random.default_rng(2)
np.save("x.npy", draw.normal(size=(20, 3)) - 1)
np.save("y.npy", draw.normal(size=20))
P
expect 0 train groups.mtf --set train.precision=f64 -D batch=8 -o groups
for batch in 4 12 16 20; do
  expect 0 eval --checkpoint groups -D batch=$batch --json
  mv out groups$batch.json
done
expect 0 eval --checkpoint groups -D batch=16 --mesh "r:2;c:2" --rules "batch:r;query:c" --json
mv out groupsplit.json
/usr/bin/python3 - <<'P' || fail "groups of examples count padding"
import json
import numpy as np
x, y = np.load("x.npy")[10:], np.load("y.npy")[10:]
flat = x.sum(1)
groups = [slice(0, 4), slice(4, 8), slice(8, 10)]
soft = lambda v: np.exp(v) / np.exp(v).sum()
of_each = lambda f: np.mean([f(flat[g]) for g in groups])
wide = np.full(12, np.nan)
wide[:10] = flat
wide = wide.reshape(3, 4)
wanted = {
    "loss": np.mean([-(soft(y[g]) * np.log(soft(flat[g]))).sum() for g in groups]),
    "best": of_each(np.max), "mean_of_doc": of_each(np.mean), "sum_of_doc": of_each(np.sum),
    "lse": of_each(lambda v: np.log(np.exp(v).sum())), "of_query": np.nansum(wide, 0).max(), "least": flat.min(),
    "product": (flat * flat).sum(), "running": np.nanmean(np.cumsum(wide, 0)), "soft": soft(flat).max(),
    "places": of_each(np.argmax), "first": wide[:, 0].mean(), "fourth": wide[:2, 3].mean(),
    "largest_fourth": wide[:2, 3].max(), "fourth_cut": wide[:2, 3].mean(), "by_ones": flat.mean(),
    "queries": 3, "centred": ((flat - 2 * flat.mean()) ** 2).max(), "lone": np.nanmean(wide, 0)[1], "merged": flat.max(), "minor_largest": x.max() - 9,
    "minor_soft": soft(x.ravel()).max(), "joined": 1.5 * flat.mean(), "joined_least": flat.min() + 9}
pooled = ("first", "fourth", "fourth_cut", "joined")
for file in ("groups4", "groups12", "groups16", "groups20", "groupsplit"):
    found = json.load(open(file + ".json"))
    for name, value in wanted.items():
        if file == "groups4" and name not in pooled:
            continue
        got = found["loss"] if name == "loss" else found["metrics"][name]
        assert abs(got - value) <= 1e-9 * abs(value), (file, name, got, value)
P
# A softmax over the batch, and nothing else that combines examples.
printf 'a\n1\n2\n' >twice.csv
cat >soft.mtf <<'M'
dim batch = 2
data t = csv("one_to_4.csv", eval="twice.csv")
input a[batch] from t.a
param w[] = 1
loss mean(w * a)
metric soft = mean(softmax(a over batch) * a)
metric log = mean(exp(log_softmax(a over batch)) * a)
train { optimizer = sgd(lr=0)  steps = 1 }
M
for batch in 2 4; do
  expect 0 train soft.mtf -D batch=$batch --log soft.jsonl
  says soft.jsonl '"metrics":{"soft":0.8655293,"log":0.8655293}'
done

# A batch may be larger than what there is to train on.
expect 0 train m.mtf -D batch=12 --set 'train.optimizer=sgd(lr=0)' --steps 1 -o larger
expect 0 eval --checkpoint larger
cp out small
expect 0 eval --checkpoint larger -D batch=2000
expect 0 verify m.mtf -D batch=26 --mesh rows:2 --rules "batch:rows;flat:rows;other:rows"

# 3 epochs of 3 batches: the rate falls to 0 over 9 steps, also when the program was dumped before.
expect 0 train m.mtf --set train.epochs=3 --log plain.jsonl
expect 0 train m.mtf --set train.epochs=3 --dump-after fuse-maps
mv out dump
expect 0 train m.mtf --set train.epochs=3 --start-from dump --log again.jsonl
/usr/bin/python3 - <<'P' || fail "a schedule over epochs"
import json
rates = lambda f: [o["lr"] for o in map(json.loads, open(f)) if "lr" in o]
plain = rates("plain.jsonl")
assert len(plain) == 9, plain
assert all(abs(r - 0.5 * (1 - t / 9)) < 1e-6 for t, r in enumerate(plain)), plain
assert rates("again.jsonl") == plain
P
# `step` beside the means is 0; what lies around another reduction counts by examples; of two batch dimensions whole
# batches are taken.
/usr/bin/python3 -c 'import numpy' 2>/dev/null && {
/usr/bin/python3 - <<'P'
import numpy as np
np.save("n.npy", np.arange(30, dtype=np.float32).reshape(10, 3))
np.save("m.npy", np.arange(100, 150, dtype=np.float32))
P
cat >around.mtf <<'M'
dim b = 4, d = 3, c = 10
data n = npy("n.npy", holdout=0.5)
input x[b, d] from n.data
param w[d] = 1
loss mean(einsum(x, w over d))
loss annealed = min(f32(step) / 100, 1) * mean(x ^ 4)
metric by_sum = sum(max(x over b)) / 3
metric by_mean = mean(max(x over b))
train { optimizer = sgd(0.0)  steps = 1 }
M
# two.mtf B C SHARE: batches of B rows of n.npy and C numbers of m.npy, a share of each to evaluate
two() {
  cat >two.mtf <<M
dim b = $1, d = 3
dim c = $2
data n = npy("n.npy", holdout=${3:-0.5})
data m = npy("m.npy", holdout=0.5)
input x[b, d] from n.data
input z[c] from m.data
param w[] = 1
loss mean(x) * w
metric x = mean(x)
metric z = mean(z)
train { optimizer = sgd(0.0)  steps = 1 }
M
  expect 0 train two.mtf --log "two-$1-$2.jsonl"
}
two 4 10 0.2
says err "has 2 examples to evaluate, and a batch of \`x\` is 4"
two 4 10
two 5 4
two 4 4
expect 0 train around.mtf --log around.jsonl
/usr/bin/python3 - <<'P' || fail "what evaluations weigh"
import json
last = lambda f: json.loads(open(f).readlines()[-1])
found = last("around.jsonl")["metrics"]
rows = [[15, 18, 21, 24], [27]]
true = sum(len(r) * (max(r) + 1) for r in rows) / 5
assert abs(found["by_sum"] - true) < 1e-5 and abs(found["by_mean"] - true) < 1e-5, (found, true)
# 5 rows and 25 numbers are left to evaluate: as many whole batches as both have
for b, c, batches in ((4, 10, 1), (5, 4, 1), (4, 4, 1)):
    found = last(f"two-{b}-{c}.jsonl")["metrics"]
    x = [sum(range(15 + 3 * i, 18 + 3 * i)) / 3 for i in range(b * batches)]
    z = range(125, 125 + c * batches)
    assert abs(found["x"] - sum(x) / len(x)) < 1e-4 and abs(found["z"] - sum(z) / len(z)) < 1e-4, (b, c, found)
P
}
# Of two sources the one with fewer batches ends an evaluation, which is said; so is a model that changed since it was trained.
printf 'a\n1\n2\n3\n' >three.csv
cat >two.mtf <<'M'
dim batch = 2
data long = csv("one_to_4.csv", eval="one_to_6.csv")
data short = csv("one_to_4.csv", eval="three.csv")
input a[batch] from long.a
input b[batch] from short.a
param w[] = 1
loss mean((w * a - b)^2)
train { optimizer = sgd(lr=0)  steps = 1 }
M
expect 0 train two.mtf -o two
says err '`long`: 3 of 6 examples are evaluated, in 2 batches'
! grep -q '`short`:' err || fail "what is evaluated to its end is named"
expect 0 eval --checkpoint two
says err '`long`: 3 of 6 examples are evaluated, in 2 batches'
! grep -q 'has changed since' err || fail "a model that is the same has changed"
echo '# changed' >>two.mtf
expect 0 train --resume two --steps 2
says err 'has changed since'
expect 0 verify two.mtf --steps 1
says err 'both are the same program'
done_testing
