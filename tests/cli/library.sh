# The shipped library: every block has a line that says what it does, `lib` prints it, the docs list
# it, and both files are in the house style.
. "$(dirname "$0")/lib.sh"

expect 0 lib
says out "transformer.mtf"
says out "Multi-head attention"
expect 0 lib relative_bias
says out "# transformer.mtf"
says out "block relative_bias("
[ "$(grep -c '^block' out)" = 1 ] || fail "more than one block"
expect 0 lib causal_mask
[ "$(tail -c 2 out)" = "}" ] || fail "the block is cut"
expect 0 lib attention --json
json out "o['block']['file'] == 'nn.mtf' and o['block']['text'].startswith('# Multi')"
expect 2 lib atention
says err "did you mean \`attention\`?"

expect 0 lib --json
json out "len(o['blocks']) >= 30 and len({b['name'] for b in o['blocks']}) == len(o['blocks'])"
json out "all(0 < len(b['doc']) <= 80 and b['doc'].endswith('.') for b in o['blocks'])"
json out "all('| \`' + b['name'] + '\`' in text and b['doc'] in text for text in
           [open('$TREE/docs/library.md').read()] for b in o['blocks'])"
# The buckets of T5 in both directions.
cat >bias.mtf <<'M'
use "transformer.mtf"
dim length = 300, memory = length, heads = 1
param w[] = 1
b = relative_bias@b(over length -> memory)
far = relative_bias@far(bidirectional=false over length -> memory)
loss sum(b * w) + sum(far)
train { optimizer = sgd(lr=0)  steps = 1 }
M
expect 0 run bias.mtf b far b.table far.table -o bias.npz
/usr/bin/python3 - <<'P' || fail "relative_bias has other buckets than T5"
import math
import numpy as np
values = np.load("bias.npz")
def bucket(ahead, both, buckets=32, far=128):
    start = 0
    if both:
        buckets //= 2
        start, n = (buckets if ahead > 0 else 0), abs(ahead)
    else:
        n = max(-ahead, 0)
    exact = buckets // 2
    if n < exact:
        return start + n
    return start + min(exact + int(math.log(n / exact) / math.log(far / exact) * (buckets - exact)), buckets - 1)
for name, both in (("b", True), ("far", False)):
    table, seen = values[name + ".table"].reshape(-1), values[name].reshape(300, 300).T
    wanted = np.array([[table[bucket(j - i, both)] for j in range(300)] for i in range(300)])
    # A distance on the border of two buckets may round to either.
    assert (seen != wanted).mean() < 0.01, (name, (seen != wanted).sum())
P
# What is wrong within the library stands at the line that calls it, also for services that show lines.
cat >ints.mtf <<'M'
use "nn.mtf"
dim batch = 2, d = 3, kinds = 4
input x[batch, d]: int from gaussian_labels(seed=1, classes=3)
h = dense@h(x over d -> kinds)
loss sum(h)
M
expect 1 check ints.mtf
says err "  --> ints.mtf:4:5"
says err "convert what the call gives"
expect 1 check ints.mtf --error-format github
says err "::error file=ints.mtf,line=4"
expect 0 fmt --check "$TREE"/models/lib/*.mtf "$TREE"/models/*.mtf
done_testing
