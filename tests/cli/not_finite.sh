# NaN and infinity: never saved over what is good, found where they began, or skipped.
. "$(dirname "$0")/lib.sh"
# The logarithm of the fifth number is not a number: it goes into a state, not into the loss.
printf '%s\n' x 1 2 3 4 -1 5 6 7 >rows.csv
cat >state.mtf <<'M'
dim batch = 1
data f = csv("rows.csv", holdout=0)
input x[batch] from f.x
param w[] = 0.5
state avg[] = 0
update avg = 0.9 * avg + 0.1 * mean(log(x))
loss mean((x * w)^2)
train { optimizer = sgd(lr=0.001)  steps = 40  checkpoint_every = 3 }
M
cat >grows.mtf <<'M'
dim batch = 2
input x[batch] from gaussian(seed=1)
param w[] = 0.5
loss mean(x * w) * 1e25
train { optimizer = momentum(lr=1e20, momentum=0.9)  steps = 6  checkpoint_every = 1 }
M
sed -i 's/momentum(lr=1e20, momentum=0.9)/adam(lr=1e20)/' grows.mtf

expect 6 train state.mtf -o s -j 1
says err "state \`avg\` is not a number after step "
says err "; it began in step "
says err "state.mtf:6:37"
says err "this gives the first value that is not a number, from finite ones"
after=$(sed -n 's/.*is not a number after step \([0-9]*\);.*/\1/p' err | head -n 1)
apart=s/checkpoints/not-finite-$(printf %08d "$after").safetensors
[ -s "$apart" ] || fail "not kept apart: $(ls s/checkpoints)"
cat err | tr -d '\n' | tr -s ' ' | grep -qF "kept apart" || fail "where it is kept is not in the message"
newest=$(ls s/checkpoints/step-* | tail -n 1)
[ "$((10#$(basename "$newest" .safetensors | cut -d- -f2)))" -eq $((after - 3)) ] || fail "the newest is $newest"
# It is the step that reads the bad row: with steps of one row each, that is where a shorter run ends well.
began=$(tr '\n' ' ' <err | sed -n 's/.*it began in step \([0-9]*\).*/\1/p')
expect 0 train state.mtf -o before --steps $((began - 1)) -j 1
expect 6 train state.mtf -o at --steps "$began" -j 1
# What is good goes on to be found; what is kept apart can be looked at.
expect 0 eval --checkpoint before -D batch=1 --set 'data.f=csv("rows.csv", holdout=0.5)'
expect 0 run state.mtf avg --checkpoint "$apart"
says out "avg"
expect 6 train --resume s --json
json out "not o['ok'] and o['diagnostics'][0]['code'] == 'E601'"
for form in one_file sharded; do
  expect 6 train grows.mtf -o "g.$form" -j 1 --set train.checkpoint=$form --set train.checkpoint_every=1
  ls "g.$form/checkpoints" | grep -q '^not-finite-' || fail "$form: $(ls "g.$form/checkpoints")"
done
expect 6 train grows.mtf -o mesh --mesh a:2 --rules batch:a

# Where it is the data, a smaller learning rate does not help.
printf '%s\n' x 1 2 nan 4 >nan.csv
sed 's/rows.csv/nan.csv/; s/log(x)/x/' state.mtf >nan.mtf
expect 6 train nan.mtf
says err 'input `x` is not a number in that step'
grep -q "learning rate" err && fail "a learning rate for data that is not a number"

# The operation is found wherever its step runs: one of two processors has the bad row, one of the micro-batches.
for how in "" "--mesh a:2 --rules batch:a" "--set train.microbatches=2" "--mesh a:2 --rules batch:a --set train.microbatches=4"; do
  expect 6 train state.mtf -D batch=8 $how -o "op$how"
  says err "state.mtf:6:37"
done
operation() {  # operation MODEL PLACE TEXT
  expect 6 train "$1" --json
  json out "[s for s in o['diagnostics'][-1]['spans'] if s['primary']][0]['line'] == $2"
  json out "[s['label'] for s in o['diagnostics'][-1]['spans']] == $3"
}
cat >op.mtf <<'M'
dim batch = 4
input x[batch] from gaussian(seed=1)
param w[] = 0.5
y = relu(x)
z = y * w
loss mean(sqrt(z))
train { optimizer = sgd(lr=0.1)  steps = 3 }
M
# 0 times the infinite gradient of a root at 0.
# Nothing is saved: the steps are run again from the first.
operation op.mtf 5 "['the gradient of this gives the first value that is not a number', 'infinite gradients that it takes begin here']"
sed 's/^loss.*/p = exp(1000 * y)\nloss mean(p \/ (1 + p))/' op.mtf >overflow.mtf
operation overflow.mtf 7 "['this gives the first value that is not a number', 'infinite values that it takes begin here']"
# What a mask makes infinite on purpose is none of it.
sed 's/^loss.*/n = softmax(where(x > 0, log(0 * x), x) over batch)\nloss mean(log(w - 1)) + mean(n)/' op.mtf >mask.mtf
operation mask.mtf 7 "['this gives the first value that is not a number, from finite ones']"
sed 's/^loss.*/loss mean(z) * 1e25/; s/lr=0.1/lr=1e20/' op.mtf >update.mtf
operation update.mtf 7 "['the update of \`w\` gives the first value that is infinite, from finite ones']"

# It is what made the loss bad that is named, not what is worse and does not reach it, nor what came before and was undone.
cat >several.mtf <<'M'
dim batch = 4
input x[batch] from gaussian(seed=1)
param w[] = 0.5
state s[] = 1e30
update s = s * s - s * s
loss mean(exp(1000 * relu(x) * w))
train { optimizer = sgd(lr=0.1)  steps = 3 }
M
operation several.mtf 6 "['this gives the first value that is infinite, from finite ones']"
sed '4,5d; s/^loss.*/loss mean((x*w)^2) \/ f32((step - 2) * max(0, 12 - step))/; s/steps = 3/steps = 200  on_nan = skip/' several.mtf >skips.mtf
operation skips.mtf 4 "['this gives the first value that is infinite, from finite ones']"
expect 6 train skips.mtf
says err "up to step 112; it began in step 13, the loss of which is not finite"
# In 16 bits operations round less often together than apart: exp(20) alone is infinite.
sed '4,5d; s/^loss.*/a = exp(x * 0 + 20) * exp(x * 0 - 20)\nb = log(x * 0 + w - 0.5)\nloss mean(a) + mean(b)/; s/steps = 3/steps = 3  precision = f16/' several.mtf >half.mtf
operation half.mtf 5 "['this, or what is computed together with it, gives the first value that is infinite, from finite ones']"
# Variables are looked at when a run ends, too, though nothing is saved; and what is bad is not resumed.
sed '4,5d; s/^loss.*/loss mean(where(x > 0, sqrt(relu(x) * w), 0)) * 0/' several.mtf >unseen.mtf
sed -i 's/relu(x)/x/' unseen.mtf
operation unseen.mtf 4 "['this gives the first value that is not a number, from finite ones']"
expect 6 train --resume "$apart" state.mtf --steps 20
says err 'state `avg` is not a number in the checkpoint'
# Before the first step it is no learning rate.
printf '%s\n' 'dim batch = 4' 'input x[batch] from gaussian(seed=1)' 'w = mean(log(x * 0 - 1))' >w.mtf
expect 0 run w.mtf w -o w.npz
sed '4,5d; s/^loss.*/loss mean((x * w)^2)/; s/steps = 3/steps = 3  params "w" { init = "w.npz" }/' several.mtf >initial.mtf
expect 6 train initial.mtf
says err 'parameter `w` is not a number before the first step'
says err 'see its initial values'
grep -q "learning rate" err && fail "a learning rate before the first step"
# An operation that is not defined for what it was given is what is to be changed, not how one learns.
advises() {  # advises LOSS TEXT ARGS...
  printf '%s\n' 'dim batch = 4' 'input x[batch] from gaussian(seed=1)' 'param w[] = 0' "loss $1" \
    'train { optimizer = sgd(lr=0.1)  steps = 3 }' >asked.mtf
  expect 6 train asked.mtf "${@:3}"
  says err "$2"
  grep -q "learning rate" err && fail "a learning rate for $1 in the first step"
}
advises 'mean(w * x / w)' 'the divisor is 0: `a / where(b == 0, 1, b)` divides by 1 there'
advises 'mean(w * x / w)' 'the divisor is 0: ' --mesh a:2 --rules batch:a
advises 'mean(1 / (w * x))' 'the divisor is 0, or too small'
advises 'mean(log(w - 1 + 0 * x))' 'the logarithm is of a negative number: `log(max(x, 1e-6))`'
advises 'mean(log(w + 0 * x))' 'the logarithm is of 0'
advises 'mean(sqrt(w - 1 + 0 * x))' 'the root is of a negative number'
advises 'mean((w - 1 + 0 * x) ^ 0.3)' 'the power is of a negative number with an exponent that is not whole'
advises 'mean(x * sqrt(w))' 'have no finite gradient at 0 or beyond'
# Later the learning rate may have led there.
printf '%s\n' 'dim batch = 4' 'input x[batch] from gaussian(seed=1)' 'param w[] = 1' 'loss mean(log(w + 0 * x))' \
  'train { optimizer = sgd(lr=0.6)  steps = 9 }' >later.mtf
expect 6 train later.mtf
says err "the logarithm is of a negative number"
says err "a smaller learning rate"
# What an evaluation finds costs no steps.
sed '4,5d; s/^loss.*/t = if training then 1 else 0\nloss mean((x * w)^2 \/ f32(t + 0 * int(x)))/' several.mtf >evaluated.mtf
expect 6 train evaluated.mtf -o evaluated
ls evaluated/checkpoints | grep -q step-00000003 || fail "the steps before an evaluation are lost: $(ls evaluated/checkpoints)"
expect 0 run evaluated.mtf w --checkpoint evaluated

# An evaluation names what is not finite.
expect 6 eval --checkpoint "$apart" --set 'data.f=csv("rows.csv", holdout=0.5)'
says err "state \`avg\` is not a number"
cat >far.mtf <<'M'
dim batch = 2
input x[batch] from gaussian(seed=1)
param w[] = 0.5
loss mean((x * w)^2)
train { optimizer = sgd(lr=1e30)  steps = 1 }
M
expect 6 train far.mtf -o far --json
says out "the evaluation's loss is infinite after step 1"
sed -i 's/^loss .*/loss a = mean(x * w)\nloss b = mean(x) \/ 0/; s/1e30/0/' far.mtf
expect 6 eval far.mtf --checkpoint far --json
json out "o['loss'] is None and 'the loss \`b\` is infinite' in o['diagnostics'][-1]['message']"
json out "'the divisor is 0' in o['diagnostics'][-1]['helps'][0]"

# Skipped: the run ends well, and the log says which steps changed nothing.
expect 0 train state.mtf -o k -j 1 --set train.on_nan=skip
grep -q '"skipped":1' k/log.jsonl || fail "no step was skipped"
[ "$(grep -c '"skipped":1' k/log.jsonl)" -eq 5 ] || fail "of 40 steps over 8 rows $(grep -c skipped k/log.jsonl) were skipped"
ls k/checkpoints | grep -q not-finite && fail "a skipped step was saved"
expect 0 run state.mtf avg --checkpoint k -o avg.npz
expect 0 train state.mtf --set train.on_nan=skip --mesh a:1 --rules batch:a
expect 1 check state.mtf --set train.on_nan=never
says err "E312"

# Gradients that no loss scale makes finite.
printf '%s\n' 'dim batch = 4' 'input x[batch] from gaussian(seed=1)' 'param w[batch] = 1' 'loss mean(sqrt(abs(w * 0)) * x)' \
  'train { optimizer = sgd(lr=0.1)  steps = 300  precision = f16 }' >scale.mtf
expect 6 train scale.mtf
says err "under any loss scale, up to step 100"

# A variable that no loss shows is found at the next evaluation.
cat >hidden.mtf <<'M'
dim b = 4
input x[b] from gaussian(seed=1)
param p[b] = 0
loss mean(log(p + f32(index(b))), weight=index(b) > 0) + mean(x)
train { optimizer = sgd(lr=1e-9)  steps = 300  eval_every = 10 }
M
expect 6 train hidden.mtf
says err "parameter \`p\` is not a number after step 10; it began in step 1"
# A loss scale that stays too large for f16.
cat >fixed.mtf <<'M'
dim batch = 4, n = 3
input x[batch, n] from gaussian(seed=1, fixed=true)
param w[n] = 1
loss mean((einsum(x, w over n) - 3)^2)
train { optimizer = sgd(lr=1e-6)  steps = 3  precision = f16  loss_scale = 100000 }
M
expect 6 train fixed.mtf
says err "the loss scale may be too large"

# A loss that overflows before any step was made has nothing to do with the learning rate.
cat >large.mtf <<'M'
dim batch = 4
input x[batch] from gaussian(seed=1)
param w[] = 1
loss mean(exp(200 * w + x))
train { optimizer = sgd(lr=0.1)  steps = 2 }
M
expect 6 train large.mtf
says err "no step was made before: see how large the inputs and the first values are"
grep -q "learning rate" err && fail "the learning rate is blamed for the first loss"

# Data of an evaluation that is not finite is named, in training and by `eval`.
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  /usr/bin/python3 -c 'import numpy as np
x = np.ones((100, 3), np.float32)
np.save("good.npy", x)
x[97] = np.nan
np.save("bad.npy", x)'
  cat >rows.mtf <<'M'
dim batch = 5, d = 3
data rows = npy("good.npy", holdout=0.1)
input x[batch, d] from rows.data
param w[d] = 0.5
loss mean((x * w - 1)^2)
train { optimizer = sgd(lr=0.1)  steps = 3 }
M
  expect 0 train rows.mtf -o rows
  expect 6 train rows.mtf --set data.rows=bad.npy
  says err 'input `x` is not a number in the evaluation: see what its source reads'
  expect 6 eval rows.mtf --checkpoint rows --set data.rows=bad.npy
  says err 'input `x` is not a number in the evaluation: see what its source reads'
fi
done_testing
