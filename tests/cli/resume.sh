# Runs that are killed and resumed end as those that are not: bit for bit.
. "$(dirname "$0")/lib.sh"
cat >m.mtf <<'M'
dim batch = 16, d = 24, hidden = 32
input x[batch, d] from gaussian(seed=7)
input c[batch]: int from gaussian_labels(seed=8, classes=d)
param w[d, hidden] ~ normal(0.1)
param v[hidden, d] ~ normal(0.1)
state seen[hidden] = 0
h = relu(einsum(x, w over d))
noise[batch, hidden] ~ uniform(0, 0.1)
update seen = 0.9 * seen + 0.1 * mean(h over batch)
y = einsum(h + noise - seen, v over hidden)
loss mean(cross_entropy(y, c over d))
metric accuracy = mean(argmax(y over d) == c)
train { optimizer = adam(lr=0.003)  steps = 20000  eval_every = 500  checkpoint_every = 101  keep = 2 }
M
plain() { sed 's/,"seconds":[^,}]*//' "$1"; }
bits() { /usr/bin/python3 - "$@" <<'P'
import json, sys
def tensors(path):
    data = open(path, "rb").read()
    n = int.from_bytes(data[:8], "little")
    head = json.loads(data[8:8 + n])
    note = head.pop("__metadata__")
    at = lambda e: data[8 + n + e["data_offsets"][0]:8 + n + e["data_offsets"][1]]
    return note["step"], note["state"], {k: (e["dtype"], e["shape"], at(e)) for k, e in head.items()}
a, b = tensors(sys.argv[1]), tensors(sys.argv[2])
assert a[2].keys() == {"w", "v", "seen"} | {"optimizer." + s + p for s in "mv" for p in (".w", ".v")}, a[2].keys()
assert a == b, [k for k in a[2] if a[2][k] != b[2][k]]
P
}
last=checkpoints/step-00020000.safetensors

expect 0 train m.mtf -o whole
[ "$(ls whole/checkpoints | wc -l)" -eq 2 ] || fail "keep = 2 keeps $(ls whole/checkpoints)"

# Killed at random moments, every fourth time by SIGTERM, resumed each time. A kill before the first
# checkpoint does not count, and the next come later: a slow machine only begins within that time. A
# machine on which the run ends before the last kill begins again and kills sooner.
kills=${RESUME_KILLS:-20}
done=0 longest=100
while [ "$done" -lt "$kills" ]; do
  if ls cut/checkpoints/*.safetensors >/dev/null 2>&1; then how=(--resume cut); else how=(m.mtf -o cut); fi
  "$MTFC" train "${how[@]}" >out 2>err &
  pid=$!
  after=$((RANDOM % longest + 10))
  sleep $((after / 1000)).$(printf %03d $((after % 1000)))
  if [ $((done % 4)) -eq 3 ]; then signal=TERM; else signal=KILL; fi
  kill -$signal $pid 2>/dev/null
  wait $pid 2>/dev/null
  status=$?
  case $status in
    0) rm -rf cut; done=0 longest=$((longest * 2 / 3)); [ $longest -gt 10 ] || { fail "the run is too short"; break; } ;;
    137 | 143)
      if ls cut/checkpoints/*.safetensors >/dev/null 2>&1; then
        done=$((done + 1))
      else
        longest=$((longest * 3 / 2)); [ $longest -lt 60000 ] || { fail "no checkpoint within a minute"; break; }
      fi ;;
    *) fail "killed, and status $status"; break ;;
  esac
done 2>/dev/null
expect 0 train --resume cut
[ "$(plain cut/log.jsonl)" = "$(plain whole/log.jsonl)" ] || fail "the logs differ"
bits whole/$last cut/$last || fail "the last checkpoints differ"
[ -z "$(ls cut/checkpoints | grep writing)" ] || fail "halves of checkpoints were left"

# The same under another mesh, within rounding; and back.
expect 0 train m.mtf -o short --steps 600
expect 0 train m.mtf -o half --steps 300
expect 0 train --resume half --steps 600 -o split --mesh "rows:2;cols:2" --rules "batch:rows;hidden:cols"
expect 0 train --resume half/checkpoints/step-00000300.safetensors --steps 600 -o again
bits short/checkpoints/step-00000600.safetensors again/checkpoints/step-00000600.safetensors || fail "a run of 300 + 300 steps differs"
/usr/bin/python3 - <<'P' || fail "another mesh gives another run"
import json
lines = lambda f: [json.loads(l) for l in open(f)]
a = [l for l in lines("short/log.jsonl") if l["step"] > 300]
b = lines("split/log.jsonl")
assert [l["step"] for l in a] == [l["step"] for l in b]
for x, y in zip(a, b):
    for key in ("loss", "eval_loss"):
        assert abs(x.get(key, 0) - y.get(key, 0)) < 2e-4, (x, y)
P
# A run keeps its layout unless another one is given; the folder has the one that it was trained
# under last.
expect 0 train --resume split --steps 602
says err "on mesh rows=2, cols=2, 602 steps, from step 600, into split"
says err 'note: the layout is the run'"'"'s own, split/layout.layout; --rules "" resumes on one processor'
[ "$(cat split/layout.layout)" = "$(printf 'mesh rows=2, cols=2\nbatch:rows;hidden:cols')" ] || fail "the layout: $(cat split/layout.layout)"
expect 0 train --resume split/checkpoints/step-00000602.safetensors --steps 603
says err "on mesh rows=2, cols=2, 603 steps"
expect 0 train --resume split --steps 603 --mesh "rows:4;cols:1"
says err "on mesh rows=4, cols=1"
expect 0 train --resume split --steps 604
says err "on mesh rows=4, cols=1"
expect 0 train --resume split --steps 605 --rules ""
says err "on one processor, 605 steps"
expect 0 train --resume split --steps 606
says err "on one processor, 606 steps"
expect 0 train m.mtf --steps 2 -o sharded --mesh a:2 --rules batch:a --set train.checkpoint=sharded
expect 0 train --resume sharded/checkpoints/step-00000002/ --steps 3
says err "on mesh a=2, 3 steps"
expect 1 train --resume sharded --steps 3 --mesh b:2
says err "the layout is the run's own; --layout FILE or --rules RULES give another"
[ ! -e split/layout.layout ] || fail "the run has no layout any more"
expect 0 train --resume split --steps 607
says err "on one processor, 607 steps"
# What lies there and was not written by a run is not its layout.
echo "batch:rows" >split/layout.layout
expect 0 train --resume split --steps 608
says err "on one processor, 608 steps"
rm split/layout.layout
expect 0 train --resume split --steps 609 --rules batch:a --mesh a:1
echo "batch:rows" >split/layout.layout
expect 1 train --resume split --steps 610
says err "split/layout.layout"
[ "$(cat split/layout.layout)" = "batch:rows" ] || fail "a layout that is refused was replaced"
# A finished run has nothing to do, and stays as it is.
cp -r whole before
expect 0 train --resume whole
says out "20000 steps: loss "
expect 0 train --resume whole --steps 7 --rules "batch:a" --mesh a:2
diff -r -x .mtfc.lock before whole || fail "resuming a finished run changed its files"
for option in --dump-tensors --profile; do
  expect 2 train --resume whole --steps 7 $option none
  says err "nothing is left to train after step 20000"
  [ ! -e none ] || fail "a file of no step"
done
# `epochs` replaces the `steps` of the run, and of both the last one counts.
cat >epochs.mtf <<'M'
dim batch = 4, row = 28, col = 28
data some = digits(count=8, eval_count=4)
input x[batch, row, col] from some.image
param w[row, col] = 0.1
loss mean((x * w)^2)
train { optimizer = sgd(lr=0.1)  steps = 1 }
M
expect 0 train epochs.mtf -o epochs --steps 3
expect 0 train --resume epochs --set train.epochs=2
says out "4 steps: loss"
expect 0 train epochs.mtf --steps 1 --set train.epochs=2
says out "4 steps: loss"
expect 0 train epochs.mtf --set train.epochs=2 --steps 1
says out "1 step: loss"
# Where checkpoints cannot be written is found out before anything is changed.
nobody=(setpriv --reuid 65534 --clear-groups)
if [ "$(id -u)" = 0 ] && "${nobody[@]}" "$MTFC" version >/dev/null 2>&1; then
  chmod 755 .
  cp -r epochs locked
  chown -R 65534 locked
  chown 0 locked/checkpoints
  "${nobody[@]}" "$MTFC" train --resume locked --steps 9 >out 2>err && fail "trained"
  says err "cannot write into \`locked/checkpoints\`"
  cmp -s epochs/run.json locked/run.json || fail "the run was changed"
fi
# A learning rate that falls to the end of a run jumps with the end.
cat >falls.mtf <<'M'
dim b = 4, n = 3
input x[b, n] from gaussian(seed=1)
param w[n] ~ normal(0.1)
loss mean((x * w - 1)^2)
train { optimizer = sgd(lr=warmup(2, cosine(0.1)))  steps = 10 }
M
expect 0 train falls.mtf -o falls
! grep -q "follows the length" err || fail "a note about a new run"
expect 0 train --resume falls --steps 20
says err "the learning rate follows the length of the run, which was 10 steps and is 20"
expect 0 train --resume falls --steps 21 --set train.optimizer.lr=0.1
! grep -q "follows the length" err || fail "a note about a rate that stays"

# Of an older checkpoint its own length counts, not that of a later run in the folder.
rm -r falls
expect 0 train falls.mtf -o falls --set train.checkpoint_every=4 --set train.keep=9
expect 0 train --resume falls --steps 18 --set train.checkpoint_every=4 --set train.keep=9
expect 0 train falls.mtf --resume falls/checkpoints/step-00000010.safetensors --steps 12
says err "which was 10 steps and is 12"
expect 0 train falls.mtf --resume falls/checkpoints/step-00000012.safetensors --steps 18
! grep -q "follows the length" err || fail "a note about a length that stays"
done_testing
