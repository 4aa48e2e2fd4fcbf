# What --resume and --checkpoint accept, refuse and say.
. "$(dirname "$0")/lib.sh"
cat >m.mtf <<'M'
dim batch = 8, d = 12, hidden = 16
data digits = digits(seed=1, count=200, eval_count=130)
dim row = 28, col = 28, class = 10
input image[batch, row, col] from digits.image
input label[batch]: int from digits.label
param w[row, col, hidden] ~ normal(0.05)
param v[hidden, class] ~ normal(0.1)
logits = einsum(relu(einsum(image, w over row, col)), v over hidden)
loss mean(cross_entropy(logits, label over class))
metric accuracy = mean(argmax(logits over class) == label)
metric perplexity = exp(mean(cross_entropy(logits, label over class)))
train { optimizer = adam(lr=0.003)  steps = 30  checkpoint_every = 10  eval_every = 30 }
M
sed -i 's/, d = 12//' m.mtf
expect 0 train m.mtf -o run
newest=run/checkpoints/step-00000030.safetensors

# eval says what the run's last evaluation said, whatever the batch size and the mesh.
for change in "" "-D batch=130" "-D batch=7" "-D batch=1" "-D batch=128" "-D batch=6 --mesh rows:2 --rules batch:rows" \
    "--mesh cols:4 --rules hidden:cols"; do
  expect 0 eval m.mtf --checkpoint run $change --json
  cp out "eval$((n = ${n:-0} + 1))"
done
/usr/bin/python3 - <<'P' || fail "evaluations differ"
import glob, json
want = json.loads(open("run/log.jsonl").readlines()[-1])
files = sorted(glob.glob("eval?"))
assert len(files) == 7
for f in files:
    got = json.load(open(f))
    assert got["steps"] == 30 and got["ok"], got
    pairs = [(got["loss"], want["eval_loss"])] + [(got["metrics"][k], v) for k, v in want["metrics"].items()]
    for a, b in pairs:
        assert abs(a - b) <= 2e-6 * abs(b), (f, a, b)
    assert got["metrics"]["accuracy"] == want["metrics"]["accuracy"], f
P
expect 0 eval --checkpoint $newest
says out "accuracy"
says out "perplexity"
expect 0 run m.mtf v --checkpoint run -D batch=3 -o v.npz

# Python reads it, with nothing but the form's own rules.
/usr/bin/python3 - $newest <<'P' || fail "Python does not read the checkpoint"
import json, sys, zlib
data = open(sys.argv[1], "rb").read()
n = int.from_bytes(data[:8], "little")
head = json.loads(data[8:8 + n])
note = head.pop("__metadata__")
assert all(isinstance(v, str) for v in note.values())
assert json.loads(note["dims"])["v"] == ["hidden", "class"] and note["step"] == "30"
assert "dim batch = 8" in next(iter(json.loads(note["files"]).values()))
places = sorted((e["data_offsets"], k) for k, e in head.items())
assert places[0][0][0] == 0 and places[-1][0][1] == len(data) - 8 - n
sums = "".join("%08x" % zlib.crc32(data[8 + n + a:8 + n + b]) for (a, b), _ in places)
assert sums == note["crc32.tensors"]
zeroed = data[:8 + n].replace(b'"crc32":"' + note["crc32"].encode(), b'"crc32":"00000000')
assert "%08x" % zlib.crc32(zeroed) == note["crc32"]
try:
    import numpy as np
    from safetensors.numpy import load_file
except ImportError:
    sys.exit(0)
assert (np.load("v.npz")["v"] == load_file(sys.argv[1])["v"]).all()
P

# What does not fit is named, with both sizes and where they come from.
expect 3 eval m.mtf --checkpoint run -D hidden=20
says err "E511"
says err "parameter \`v\` is f32[hidden=16, class=10] in"
says err "f32[hidden=20, class=10] in the model"
says err "\`hidden\` is 20 here, from -D hidden=20"
says err "\`hidden\` was 16 in the run, from its model's text"
expect 3 train --resume run --set 'train.optimizer=sgd(lr=0.1)' --steps 40
says err 'a run resumes with its optimizer and loss scale'
# States of the same names and shapes mean something else.
expect 3 train --resume run --set 'train.optimizer=adamw(lr=0.1)' --steps 40
says err 'error[E511]: the run has the optimizer `adam`, not `adamw`'
says err "optimizer"
expect 3 train --resume run --seed 5
says err "seed"
expect 3 train m.mtf -o run
says err "has the checkpoints of another run"
expect 2 train run
says err '`run` is the folder of a run, not a model'
says err '`mtfc train --resume run` resumes it'
expect 2 check run
says err 'its model is `run/model.mtf`'
expect 2 eval m.mtf --checkpoint nowhere
says err "E502"
expect 2 eval m.mtf
expect 2 train
expect 3 eval m.mtf --checkpoint m.mtf
says err "E510"
mkdir empty
expect 0 train --resume run --steps 2
says err "nothing is left to train"
expect 3 train --resume empty
says err "has no checkpoints"

# Token tables are of the run: another text is read with its ids.
cat >t.mtf <<'M'
dim batch = 4, length = 8, vocab = 20
data text = chars("a.txt", holdout=0.2)
input tok[batch, length]: int from text.window
input nxt[batch, length]: int from text.window_next
param table[vocab, vocab'] ~ normal(0.1)
logits = table[vocab = tok][vocab' -> vocab]
loss mean(cross_entropy(logits, nxt over vocab))
generate logits from tok over length
train { optimizer = sgd(lr=0.5)  steps = 5 }
M
/usr/bin/python3 -c 'print("the cat sat on the mat and that was that " * 20)' >a.txt
tr -d c <a.txt >b.txt
tr c Z <a.txt >z.txt
expect 0 train t.mtf -o text
expect 0 eval --checkpoint text --set data.text=a.txt --json
json out "o['loss'] > 0"
/usr/bin/python3 - <<'P' || fail "the token table is not in the checkpoint"
import json
data = open("text/checkpoints/step-00000005.safetensors", "rb").read()
note = json.loads(data[8:8 + int.from_bytes(data[:8], "little")])["__metadata__"]
table = json.loads(json.loads(note["tokens"])["text"])
assert table["kind"] == "chars" and table["pieces"] == sorted(set(open("a.txt").read())), table
P
expect 0 eval --checkpoint text --set data.text=b.txt --json
expect 3 eval --checkpoint text --set data.text=z.txt
says err "E501"
expect 0 generate t.mtf --checkpoint text --prompt "the c" --tokens 20 --temperature 0
says out "the c"
mv out before
rm a.txt
expect 0 generate --checkpoint text --prompt "the c" --tokens 20 --temperature 0
cmp -s out before || fail "generate needs the data's files"
expect 3 generate --checkpoint text -D vocab=30 --prompt the
says err "E511"

# A newer text of the model is noted; -D and --set of the run are those that count.
sed 's/0.05/0.06/' m.mtf >n.mtf
expect 0 eval n.mtf --checkpoint run
says err "differs from the model that the run was started with"
expect 0 train m.mtf -o small -D hidden=4 --steps 5
expect 0 eval m.mtf --checkpoint small
rm m.mtf
expect 0 eval --checkpoint small --json
json out "o['steps'] == 5"
mv n.mtf m.mtf

# A damaged file is an error that offers an older one; a folder passes over it with a warning.
cp -r run cut
truncate -s 3000 cut/checkpoints/step-00000030.safetensors
expect 3 eval m.mtf --checkpoint cut/checkpoints/step-00000030.safetensors
says err "E510"
says err "a good checkpoint is there: cut/checkpoints/step-00000020.safetensors"
expect 0 eval m.mtf --checkpoint cut
says err "W510"
expect 0 train --resume cut
sed 's/,"seconds":[^,}]*//' run/log.jsonl >a
sed 's/,"seconds":[^,}]*//' cut/log.jsonl >b
cmp -s a b || fail "resumed behind a damaged checkpoint, the log differs"

# A full disk: the older checkpoints stay and the message says so.
(ulimit -f 40; "$MTFC" train --resume small -o full --steps 9 >out 2>err; echo $? >status)
[ "$(cat status)" -eq 0 ] || fail "40 kB suffice for hidden = 4"
(ulimit -f 40; "$MTFC" train m.mtf -o full2 --steps 9 -D hidden=64 >out 2>err; echo $? >status)
[ "$(cat status)" -eq 3 ] || fail "a full disk gives status $(cat status)"
says err "cannot write"
cp -r run tight
(ulimit -f 40; "$MTFC" train --resume tight --steps 60 >out 2>err; echo $? >status)
[ "$(cat status)" -eq 3 ] || fail "a full disk gives status $(cat status)"
says err "the newest checkpoint is still there"
says err "tight/checkpoints/step-00000030.safetensors"
cmp -s $newest tight/checkpoints/step-00000030.safetensors || fail "a full disk changed a checkpoint"
[ "$(ls tight/checkpoints | wc -l)" -eq 3 ] || fail "halves are left: $(ls tight/checkpoints)"

# A run that goes astray keeps its last good checkpoint.
expect 6 train m.mtf -o astray --set 'train.optimizer=sgd(lr=1e30)' --set train.checkpoint_every=1 --set train.keep=1
found=$(ls astray/checkpoints)
expect 0 run m.mtf w --checkpoint astray -o w.npz
/usr/bin/python3 -c 'import numpy' 2>/dev/null && { /usr/bin/python3 -c '
import numpy as np
assert not np.isnan(np.load("w.npz")["w"]).any()' || fail "the kept checkpoint $found is not a number"; }
# Paths of data that were set hold from any working directory.
/usr/bin/python3 -c 'print("the cat sat on the mat and that was that " * 20)' >a.txt
mkdir -p elsewhere
for set in data.text=a.txt 'data.text="a.txt"' 'data.text=chars("a.txt", eval="b.txt")'; do
  rm -rf moved
  expect 0 train t.mtf -o moved --set "$set"
  cd elsewhere
  expect 0 train --resume ../moved --steps 7
  cd ..
done
# A sharded checkpoint without its index is called that.
cat >sharded.mtf <<'M'
dim batch = 2
input x[batch] from gaussian(seed=1)
param w[] = 0.5
loss mean((x * w)^2)
train { optimizer = sgd(lr=0.1)  steps = 1  checkpoint = sharded }
M
expect 0 train sharded.mtf -o shards
rm shards/checkpoints/step-00000001/index.json
mv shards/checkpoints/step-00000001 torn
for torn in torn torn/; do
  expect 3 eval --checkpoint $torn
  says err "is a sharded checkpoint without its index.json"
done

# A file that the model uses may have changed, as the model itself.
echo 'block twice(x) { return x * 2 }' >mine.mtf
sed 's/loss .*/loss mean((twice(x) * w)^2)/; 1i use "mine.mtf"' sharded.mtf >using.mtf
expect 0 train using.mtf -o using
expect 0 eval using.mtf --checkpoint using
! grep -q note: err || fail "nothing has changed"
echo '# more' >>mine.mtf
expect 0 eval using.mtf --checkpoint using
says err "note: mine.mtf differs from the file that the run was started with"
expect 0 train using.mtf --resume using --steps 2
says err "note: mine.mtf differs"

# A file that came to lie beside the model later is not the library's that the run was made with.
cat >dense.mtf <<'M'
use "nn.mtf"
dim n = 4, k = 3, o = 2
input x[n, k] from gaussian(seed=1, fixed=true)
loss mean((dense@f(x over k -> o) - 1)^2)
train { optimizer = sgd(0.1)  steps = 1 }
M
expect 0 train dense.mtf -o dense
expect 0 eval --checkpoint dense
cp out library
sed 's/einsum(/100 * einsum(/' <("$MTFC" lib nn.mtf) >nn.mtf
expect 0 eval --checkpoint dense
cmp -s out library || fail "a file beside the model took the place of a recorded text"
expect 0 eval dense.mtf --checkpoint dense
says err "hides the library's"
cmp -s out library && fail "a model that is given reads what lies there"
rm nn.mtf && mkdir nn.mtf
expect 0 eval --checkpoint dense
rmdir nn.mtf

# What the data was is recorded; a run that resumes with other data says so.
printf 'a,b\n' >table.csv && for i in {1..40}; do echo "$i,$((i % 7))"; done >>table.csv
cat >table.mtf <<'M'
dim n = 6
data d = csv("table.csv")
input a[n] from d.a
input b[n] from d.b
param w[] ~ normal(1)
loss mean((a * w - b)^2)
train { optimizer = sgd(1e-5)  steps = 2 }
M
expect 0 train table.mtf -o table
expect 0 train --resume table --steps 3
! grep -q "as in the run" err || fail "the data has not changed"
sed -i 's/^9,/10,/' table.csv
expect 0 train --resume table --steps 4
says err 'note: `file` of data source `d` is not as in the run'
cp table.csv other.csv && sed -i 's/^11,/12,/' other.csv
expect 0 train --resume table --steps 5 --set 'data.d=csv("other.csv")'
says err 'note: `file` of data source `d` is not as in the run'
expect 0 train --resume table --steps 6
! grep -q "as in the run" err || fail "the data is that of the setting"
expect 0 train table.mtf -o drawn --set 'data.d=csv("table.csv", holdout=0)'
expect 0 train --resume drawn --steps 3 --set 'data.d=csv("table.csv", eval="other.csv")'
says err 'note: `eval` of data source `d` is not as in the run: none then,'
done_testing
