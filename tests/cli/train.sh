# mtfc train: what it writes, how it ends.
. "$(dirname "$0")/lib.sh"
model=$TREE/models/two_layer.mtf
small=(-D batch=8 -D io=16 -D hidden=8)
split=(--mesh "rows:2;cols:2" --rules "batch:rows;hidden:cols")

expect 0 train "$model" "${small[@]}" --steps 5
says err "not saved (no -o)"
says out "5 steps: loss "
expect 0 train "$model" "${small[@]}" "${split[@]}" --steps 5 -o made/run --log log.jsonl
for file in log.jsonl checkpoints/step-00000005.safetensors model.mtf layout.layout run.json; do
  [ -s "made/run/$file" ] || fail "made/run/$file is missing"
done
cmp -s "$model" made/run/model.mtf || fail "model.mtf is no copy"
cmp -s log.jsonl made/run/log.jsonl || fail "the two logs differ"
[ "$(wc -l <log.jsonl)" -eq 6 ] || fail "5 steps and 1 evaluation are 6 lines"
head -n 1 log.jsonl >first && json first "o['step'] == 1 and o['loss'] > 0 and o['seconds'] >= 0"
tail -n 1 log.jsonl >last && json last "o['step'] == 5 and 'eval_loss' in o and 'metrics' in o"
json made/run/run.json "o['defines']['batch'] == '8' and o['steps'] == 5"

losses() { sed 's/,"seconds":[^,}]*//' "$1"; }
expect 0 train "$model" "${small[@]}" "${split[@]}" --steps 5 --log one.jsonl -j 1
[ "$(losses one.jsonl)" = "$(losses log.jsonl)" ] || fail "the number of threads changes the losses"
expect 0 train "$model" "${small[@]}" --steps 5 --seed 5 --log other.jsonl
[ "$(losses other.jsonl)" != "$(losses log.jsonl)" ] || fail "--seed changes nothing"
expect 0 train "$model" "${small[@]}" --steps 99 --set train.steps=2 --json
json out "o['ok'] and o['steps'] == 2 and o['loss'] > 0 and o['processors'] == 1 and o['collectives'] == []"
expect 0 train "$model" "${small[@]}" --steps 2 --json --log short.jsonl
json out "[repr(o['loss']), repr(o['eval_loss'])] == [repr(json.loads(l)[k]) for l, k in zip(open('short.jsonl').readlines()[-2:], ('loss', 'eval_loss'))]"
expect 0 train "$model" "${small[@]}" "${split[@]}" --steps 1 --json --replicas all
json out "all(c['tensor'] and 'two_layer.mtf:' in c['source'] for c in o['collectives'])"
json out "any(c['kind'] == 'all_reduce' for c in o['collectives']) and o['flops']['total'] > 0"

expect 6 train "$model" "${small[@]}" --set 'train.optimizer=sgd(lr=1e30)' --steps 50
says err "at step "
expect 6 train "$model" "${small[@]}" --set 'train.optimizer=sgd(lr=1e30)' --steps 50 --json
json out "o['not_finite'] and o['diagnostics'][0]['code'] == 'E601'"
expect 3 train "$model" "${small[@]}" --steps 1 --log no/such/log
expect 3 train "$model" "${small[@]}" --steps 1 -o "$model"
expect 0 train "$model" "${small[@]}" --steps 2 --dump-tensors t.npz
[ -s t.npz ] || fail "t.npz is missing"
# Each name once, whatever losses and tensors are called.
cat >names.mtf <<'M'
dim batch = 4, d = 3
input x[batch, d] from gaussian(seed=1)
param w[d] ~ normal(0.1)
fit = einsum(x, w over d)
loss fit = 2 * mean(fit^2)
train { optimizer = sgd(lr=0.1)  steps = 1 }
M
expect 0 train names.mtf --dump-tensors names.npz
/usr/bin/python3 - <<'P' || fail "the names of the archive"
import zipfile, numpy
names = zipfile.ZipFile("names.npz").namelist()
assert sorted(names) == sorted(set(names)), names
a = numpy.load("names.npz")
assert a["fit"].shape == (4,) and numpy.isclose(a["loss.fit"], 2 * (a["fit"] ** 2).mean()) and a["loss.fit"] == a["loss"], dict(a)
P

# Interrupted: ends after the step, saved.
for pair in INT:130 TERM:143; do
  "$MTFC" train "$model" "${small[@]}" --steps 100000000 -o "stopped-$pair" >out 2>err &
  pid=$!
  for _ in $(seq 100); do [ -s "stopped-$pair/log.jsonl" ] && break; sleep 0.1; done
  kill "-${pair%:*}" "$pid"
  wait "$pid"
  got=$?
  [ "$got" -eq "${pair#*:}" ] || fail "SIG${pair%:*} gives status $got"
  "$MTFC" eval --checkpoint "stopped-$pair" --json >out 2>err
  json out "o['steps'] > 0 and o['loss'] > 0" || fail "SIG${pair%:*}: nothing was saved"
done
# `run`: each tensor once and with its own dimensions, where names collide with gradients and lists.
cat >collide.mtf <<'M'
dim batch = 4, d = 3
input x[batch, d] from gaussian(seed=1)
param w[d] ~ normal(1)
block g(x) {
  w = x * 2
  dims = w + 1
  return dims
}
y = x * w
z = g@grad(y)
q = g@y(z)
loss mean(q * y)
loss w = mean(z * z)
train { optimizer = sgd(lr=0.1)  steps = 2 }
M
expect 0 run collide.mtf w grad.w y y.dims y --gradients -o collide.npz
/usr/bin/python3 - <<'P' || fail "the names of the archive: $(cat out)"
import zipfile, numpy
names = zipfile.ZipFile("collide.npz").namelist()
assert len(names) == len(set(names)), names
a = numpy.load("collide.npz")
assert a["grad.w"].shape == (4, 3) and list(a["grad.w.dims"]) == ["batch", "d"], a["grad.w.dims"]
assert (a["grad.w"] == 2 * a["y"]).all() and a["grad.w~2"].shape == (3,), names
assert list(a["y.dims"]) == ["batch", "d"] and a["y.dims~2"].shape == (4, 3), names
P
done_testing
