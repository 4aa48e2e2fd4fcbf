# `cost --counters`: what Mesh-TensorFlow counts, on a case worked out by its rules.
. "$(dirname "$0")/lib.sh"
cat >two.mtf <<'M'
dim batch = 64, io = 8, hidden = 8
input x[batch, io] from gaussian(seed=1)
param w[io, hidden] ~ normal(0.1)
param v[hidden, io] ~ normal(0.1)
h = relu(einsum(x, w over io))
z = einsum(h, v over hidden)
loss mean(z^2)
train { optimizer = sgd(lr=0.1)  steps = 3 }
M
# Five contractions of 64 x 8 x 8 (two forward, three backward: nobody asks for the gradient of x); z
# is summed over `hidden`, axis 1: 256 elements on each of 8 processors; two gradients of 64 elements,
# each split in four, over `batch`, axis 0.
expect 0 cost two.mtf --rules "batch:x;hidden:y" --mesh "x:2;y:4" --counters --json
json out 'o["counters"]["einsum"] == 5 * 4096 == o["counters"]["einsum_unique"]'
json out 'o["counters"]["allreduce/[1]/einsum_op"] == 2048'
json out 'o["counters"]["allreduce/[0]/einsum_op"] == 2 * 128'
json out 'o["counters"]["variables/trainable"] == 128 and o["counters"]["variables"] == 128'
json out 'o["counters"]["allreduce/[0]"] == sum(v for k, v in o["counters"].items() if k.startswith("allreduce/[0]/"))'
# Without the rule for `hidden`, four processors do the same.
expect 0 cost two.mtf --rules "batch:x" --mesh "x:2;y:4" --counters --json
json out 'o["counters"]["einsum"] == 4 * o["counters"]["einsum_unique"]'
expect 0 cost two.mtf --rules "batch:x;hidden:y" --mesh "x:2;y:4" --counters
says out "einsum_op"
says out "2.05e+03"
expect 0 cost two.mtf --json
json out '"counters" not in o'
done_testing
