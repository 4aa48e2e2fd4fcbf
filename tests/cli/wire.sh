# set wire=bf16: what is added is rounded, the sum is f32 in the order of processors, rounded once.
. "$(dirname "$0")/lib.sh"
cat >m.mtf <<'M'
dim batch = 16, d = 5000
input x[batch, d] from gaussian(seed=7)
param w[d] ~ normal(1)
loss sum(tanh(w * x) over batch, d)
M
printf 'mesh rows=4\nbatch:rows\nset wire=bf16\n' >bf16.layout
printf 'mesh rows=4\nbatch:rows\n' >f32.layout
expect 0 run m.mtf w x --gradients --layout bf16.layout -o bf16.npz
expect 0 run m.mtf w x --gradients --layout f32.layout -o f32.npz
/usr/bin/python3 - <<'P' || fail "another rounding"
import sys
try:
    import numpy as np
except ImportError:
    print("skipped: no numpy"); sys.exit(0)
def bf16(v):  # to the nearest, ties to even
    bits = np.asarray(v, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
wire, plain = np.load("bf16.npz"), np.load("f32.npz")
x, grad, exact = plain["x"], wire["grad.w"], plain["grad.w"]
assert np.array_equal(bf16(grad), grad), "not rounded"
assert not np.array_equal(grad, exact)
# A processor's sum over its four examples has its own order of additions: within one rounding.
total = np.zeros_like(grad)
for part in np.split(x, 4):
    total = (total + bf16(((1 - np.tanh(part * plain["w"]) ** 2) * part).sum(0, dtype=np.float32))).astype(np.float32)
assert np.abs(bf16(total) - grad).max() <= 2.0**-5
assert (bf16(total) == grad).mean() > 0.99, (bf16(total) == grad).mean()
P
# Half of the bytes; the loss's own sum stays as it is.
bytes() { "$MTFC" cost "$TREE/models/mnist.mtf" --layout "$1" --json | /usr/bin/python3 -c '
import json, sys
print(sum(c["bytes_sent_per_processor"] for c in json.load(sys.stdin)["collectives"] if c["tensor"].startswith("grad.")))'; }
[ $(($(bytes f32.layout) / 16)) -eq $(($(bytes bf16.layout) / 8)) ] || fail "$(bytes f32.layout) bytes and $(bytes bf16.layout)"
# Every replica goes on with the same number, with a plain and a sharded update.
for update in replicated sharded; do
  printf "mesh rows=4\nbatch:rows\nset wire=bf16\nset update=$update\n" >$update.layout
  expect 0 train "$TREE/models/mnist.mtf" --layout $update.layout --replicas all --steps 12 --log $update.jsonl
done
[ "$(sed 's/,"seconds":[^,}]*//' replicated.jsonl)" = "$(sed 's/,"seconds":[^,}]*//' sharded.jsonl)" ] ||
  fail "the sharded update differs"
done_testing
