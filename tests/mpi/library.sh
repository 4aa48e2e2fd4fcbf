# set reduce=library: the losses of the simulated mesh within rounding, with every way of summing.
. "$(dirname "$0")/lib.sh" all
cat >m.mtf <<'M'
dim batch = 8, io = 40, hidden = 300
input x[batch, io] from gaussian(seed=7)
input c[batch]: int from gaussian_labels(seed=8, classes=io)
param w[io, hidden] ~ normal(0.1)
param b[hidden] = 0
param v[hidden, io] ~ normal(0.1)
loss mean(cross_entropy(einsum(relu(einsum(x, w over io) + b), v over hidden), c over io))
train { optimizer = adam(lr=0.01)  steps = 5 }
M
cat >compare.py <<'P'
import json, sys
a, b = ([json.loads(line).get("loss") for line in open(f)] for f in sys.argv[1:])
assert len(a) == len(b) and a[0] is not None, (a, b)
assert all(x is None or abs(x - y) <= 1e-5 * abs(x) for x, y in zip(a, b)), (a, b)
P
for settings in "" "update=sharded" "wire=bf16"; do
  printf 'mesh rows=2, cols=2\nbatch:rows\nhidden:cols\nset reduce=library\n' >m.layout
  [ -z "$settings" ] || echo "set $settings" >>m.layout
  "$MTFC" train m.mtf --layout m.layout --log simulated >/dev/null 2>&1 || fail "the simulated mesh"
  for family in "${families[@]}"; do
    run "$family" 4 "$MTFC" train m.mtf --layout m.layout --log "$family" >/dev/null 2>err ||
      { cat err; fail "$settings with $family"; continue; }
    /usr/bin/python3 compare.py simulated "$family" || fail "$settings: other losses with $family"
  done
done
[ "$failed" -eq 0 ]
