# verify, run, cost, emit and dumps.
. "$(dirname "$0")/lib.sh"
model=$TREE/models/two_layer.mtf
small=(-D batch=8 -D io=16 -D hidden=8)
split=(--mesh "rows:2;cols:2" --rules "batch:rows;hidden:cols")

expect 0 verify "$model" "${small[@]}" "${split[@]}"
says out "grad.w"
[ "$(awk '{ if (length > 80) n++ } END { print n + 0 }' out)" -eq 0 ] || fail "verify is wider than 80"
expect 0 verify "$model" "${small[@]}" "${split[@]}" --replicas all --json
json out "all(d['ok'] for d in o['differences']) and len(o['differences']) == 9"
expect 3 verify "$model" "${small[@]}" "${split[@]}" --tolerance 0
says err "E602"

expect 0 run "$model" h w "${small[@]}" --gradients -o f.npz
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  /usr/bin/python3 -c "import numpy as np
z = np.load('f.npz')
assert sorted(k for k in z.files if not k.endswith('.dims')) == ['grad.h', 'grad.w', 'h', 'w'], z.files
assert z['h'].shape == (8, 8) and list(z['h.dims']) == ['batch', 'hidden']
assert (z['h'] >= 0).all() and abs(z['grad.w']).max() > 0" || fail "f.npz"
else
  echo "skipped: no NumPy to read f.npz"
fi
expect 0 run "$model" h "${small[@]}" -o whole.npz
expect 0 run "$model" h "${small[@]}" "${split[@]}" -o split.npz
expect 3 run "$model" h "${small[@]}" -o no/such/f.npz
# A second name of a value, which nothing uses.
sed 's/^z = /z = linear@of(h)\nunused = z * 2\nz = /; 1i block linear(t) { y = 2 * t return y }' "$model" >names.mtf
for mode in "" --training "--training --gradients"; do
  # shellcheck disable=SC2086
  expect 0 run names.mtf z of.y unused h "${small[@]}" $mode
done
cat >second.mtf <<'M'
dim batch = 4, d = 6
input x[batch, d] from gaussian(seed=1)
param w[d] ~ normal(1)
block f(t) { y = t * 2  return y }
p = f(x * w)
turned[d, batch] = p
loss mean(p^2)
M
expect 0 run second.mtf p f.y turned --gradients
for name in p f.y turned; do says out "grad.$name: "; done

# Truths that are looked up along a split dimension: one processor has each.
cat >truths.mtf <<'M'
dim batch = 4, d = 6, k = 3
input x[batch, d] from gaussian(seed=1)
input inside[batch, k]: int from gaussian_labels(seed=2, classes=6)
input beyond[batch, k]: int from gaussian_labels(seed=3, classes=9)
a = (x > 0)[d = 2]
b = (x > 0)[d = inside]
c = (x > 0)[d = beyond else true]
loss mean(x * f32(a) + f32(sum(b and c)))
M
expect 0 run truths.mtf a b c -o whole.npz
for size in 2 3; do
  expect 0 run truths.mtf a b c --rules d:m --mesh m:$size -o split.npz
  cmp -s whole.npz split.npz || fail "truths differ on $size processors"
done

# Dimensions have the names that the model gives them, in every instance of a block.
cat >own.mtf <<'M'
dim batch = 4, d = 6
input x[batch, d] from gaussian(seed=1)
block weighed(x over d) {
  dim k = 3
  param w[k] ~ normal(0.1)
  return x * sum(w)
}
loss mean(weighed@b(weighed@a(x over d) over d))
M
expect 0 run own.mtf a.w b.w
[ "$(grep -c 'w: f32\[k=3\]' out)" = 2 ] || fail "the names of dimensions: $(cat out)"

expect 0 cost "$model" "${small[@]}" "${split[@]}" --json
json out "o['processors'] == 4 and o['parameters'] == 2 * 16 * 8 + 8 and o['collectives']"
expect 0 cost "$model"
says out "nothing is communicated"

expect 0 emit "$model" "${small[@]}" --backend json
[ "$(head -c 1 out)" = "{" ] || fail "emit --backend json prints no object"
expect 0 emit "$model" "${small[@]}" --backend json -o emitted
[ -s emitted/program.json ] || fail "emitted/program.json is missing"

expect 0 train "$model" "${small[@]}" "${split[@]}" --dump-after fuse-maps
cp out dump.txt
says dump.txt "all_reduce"
expect 0 train "$model" "${small[@]}" "${split[@]}" --steps 3 --log direct.jsonl
expect 0 train "$model" "${small[@]}" "${split[@]}" --steps 3 --log resumed.jsonl --start-from dump.txt
[ "$(sed 's/,"seconds":[^,}]*//' direct.jsonl)" = "$(sed 's/,"seconds":[^,}]*//' resumed.jsonl)" ] ||
  fail "going on from a dump gives other losses"
sed 's/@ 0:/@ 99:/' dump.txt >elsewhere.txt
expect 2 train "$model" "${small[@]}" "${split[@]}" --steps 3 --start-from elsewhere.txt
says err "file 99 is not one of those that were read"
sed 's/ reduced=\[[^]]*\]//' dump.txt >unreduced.txt
expect 2 train "$model" "${small[@]}" "${split[@]}" --steps 3 --start-from unreduced.txt
says err "breaks a rule"
expect 0 train "$model" "${small[@]}" --dump-after all
says out "# after lower"
# Values that are computed alike have gradients of their own.
cat >alike.mtf <<'M'
dim g = 3, batch = 1
input x[batch] from gaussian(seed=1)
param s[g] = 1
a = tanh(s)
b = tanh(s)
loss sum(a) + 10 * sum(b) + 0 * sum(x)
M
expect 0 run alike.mtf a b --gradients
says out "grad.a: f32[g=3] largest 1"
says out "grad.b: f32[g=3] largest 10"
# A loss or metric is no tensor.
printf 'dim b = 2\ninput x[b] from gaussian(seed=1)\nparam w[] = 1\nloss far = mean(x * w)\n' >loss.mtf
expect 2 run loss.mtf far
says err "\`far\` is a loss or metric: \`mtfc train\` and \`mtfc eval\` give it"
done_testing
