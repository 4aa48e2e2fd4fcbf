# `init` in `params`: first values from a safetensors file, a run folder or an .npz archive.
. "$(dirname "$0")/lib.sh"

net='dim batch = 8, d = 6, h = 4
input x[batch, d] from gaussian(seed=1)
block net(x) {
  param w[d, h] ~ normal(0.5)
  param b[h] = 0
  return tanh(einsum(x, w over d) + b)
}'
student() { # student PARAMS: the model, in a folder of its own
  mkdir -p models
  printf '%s\nt = stop_gradient(net@teacher(x))\ns = net@student(x)\nloss mean((s - t)^2)
train { optimizer = sgd(lr=0.1)  steps = 3\n%s }\n' "$net" "$1" >models/student.mtf
}
same_arrays() { # same_arrays A.npz NAME B.npz NAME
  /usr/bin/python3 - "$@" <<'P' || fail "$2 of $1 is not $4 of $3"
import sys, zipfile
a, x, b, y = sys.argv[1:]
sys.exit(zipfile.ZipFile(a).read(x + ".npy") != zipfile.ZipFile(b).read(y + ".npy"))
P
}

# A teacher is trained alone; in the other model it begins with what it has learnt.
cat >teacher.mtf <<'M'
dim batch = 8, d = 6, h = 4
input x[batch, d] from gaussian(seed=1)
param w[d, h] ~ normal(0.5)
param b[h] = 0
loss mean((tanh(einsum(x, w over d) + b) - 1)^2)
train { optimizer = sgd(lr=0.1)  steps = 3 }
M
mkdir models
expect 0 train teacher.mtf -o models/teacher
cp "$(ls models/teacher/checkpoints/*.safetensors | tail -n 1)" models/teacher.safetensors
expect 0 run teacher.mtf w b --checkpoint models/teacher -o models/teacher.npz

for file in teacher.safetensors teacher teacher.npz; do
  student "params \"teacher.**\" { frozen = true  init = \"$file\" }"
  expect 0 run models/student.mtf teacher.w teacher.b -o got.npz
  same_arrays models/teacher.npz w got.npz teacher.w
  same_arrays models/teacher.npz b got.npz teacher.b
  expect 0 train models/student.mtf --rules "h:x" --mesh "x:2" --replicas all --log log
  sed 's/,"seconds.*//' log >"$file.steps"
  expect 0 verify models/student.mtf --rules "h:x" --mesh "x:2"
done
cmp -s teacher.safetensors.steps teacher.npz.steps || fail "the forms differ"
cmp -s teacher.safetensors.steps teacher.steps || fail "the folder differs"

# check does not open the file, and what goes on from a checkpoint has its values already.
student 'params "teacher.**" { init = "teacher.safetensors" }'
expect 0 train models/student.mtf --steps 2 -o run
mv models/teacher.safetensors away
expect 0 check models/student.mtf
expect 0 train models/student.mtf --steps 4 --resume run -o run
expect 0 run models/student.mtf teacher.w --checkpoint run -o got.npz
for command in train "run teacher.w -o got.npz" verify; do
  set -- $command
  expect 3 "$1" models/student.mtf "${@:2}"
  says err "models/teacher.safetensors"
done
mv away models/teacher.safetensors

# What does not fit names the parameter and the file.
expect 3 train models/student.mtf -D h=5
says err "parameter \`teacher.w\` is f32[d=6, h=4] in \`models/teacher.safetensors\`, f32[d=6, h=5] in the model"
student 'params "*.w" { init = "teacher.npz" }'
expect 3 train models/student.mtf
says err "parameter \`teacher.w\` is not in \`models/teacher.npz\`"
for file in teacher.safetensors teacher.npz; do
  head -c 100 models/$file >models/cut.${file#*.}
  student "params \"teacher.**\" { init = \"cut.${file#*.}\" }"
  expect 3 train models/student.mtf
  says err "cut.${file#*.}"
done
/usr/bin/python3 - <<'P'
import struct, zipfile
def npy(shape, values):
    text = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }" % (shape,)
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + struct.pack("<%dd" % len(values), *values)
with zipfile.ZipFile("models/large.npz", "w") as z:
    z.writestr("teacher.b.npy", npy("(4,)", [1, 2, 1e300, 4]))
open("models/b.npy", "wb").write(npy("(4,)", [1, 2, 3, 4]))
P
student 'params "teacher.b" { init = "large.npz" }'
expect 3 train models/student.mtf
says err 'parameter `teacher.b` has numbers in `models/large.npz` that are beyond f32'
student 'params "teacher.b" { init = "b.npy" }'
expect 3 train models/student.mtf
says err '`models/b.npy` is one array, without a name'
student 'params "teacher.**" { init = 3 }'
expect 1 check models/student.mtf
says err "E312"

# Two files; the later group counts.
student 'params "**.b" { init = "nowhere.npz" }
params "teacher.*" { init = "teacher.npz" }
params "student.*" { init = "teacher.safetensors" }'
expect 0 train models/student.mtf --log log
says log '"loss":0,'

# A file has the names without one or several of the segments that the pattern spells; the longest counts.
tensors() { # tensors FILE NAME=VALUE...: single numbers
  /usr/bin/python3 - "$@" <<'P'
import struct, sys, zipfile
text = "{'descr': '<f8', 'fortran_order': False, 'shape': (), }"
text += " " * (63 - (10 + len(text)) % 64) + "\n"
with zipfile.ZipFile(sys.argv[1], "w") as z:
    for name, value in (a.split("=") for a in sys.argv[2:]):
        z.writestr(name + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + struct.pack("<d", float(value)))
P
}
deep() { # deep SETTINGS: parameters model.embed.table and model.embed.extra, which begin with 7
  cat >models/deep.mtf <<M
dim batch = 2
input x[batch] from gaussian(seed=1)
block embed(x) {
  param table[] = 7
  param extra[] = 7
  return x * table + extra
}
block model(x) { return embed@embed(x) }
loss mean(model@model(x))
train { optimizer = sgd(lr=0.1)  steps = 1
$1 }
M
}
has() { # has TABLE EXTRA: the first values
  expect 0 run models/deep.mtf model.embed.table model.embed.extra -o got.npz
  /usr/bin/python3 - "$1" "$2" <<'P' || fail "not $1 and $2"
import struct, sys, zipfile
read = lambda name: struct.unpack("<f", zipfile.ZipFile("got.npz").read("model.embed.%s.npy" % name)[-4:])[0]
sys.exit([read("table"), read("extra")] != [float(v) for v in sys.argv[1:]])
P
}
tensors models/base.npz embed.table=3 table=4 extra=5
deep 'params "model.embed.**" { init = "base.npz" }'
has 3 5
deep 'params "model.embed.table" { init = "base.npz" }'
has 3 7
tensors models/base.npz embed.table=3 table=4
deep 'params "model.embed.**" { init = "base.npz" }'
expect 3 train models/deep.mtf
says err "looked for: model.embed.extra, embed.extra, extra"
says err 'a later `params "model.embed.extra" { init = none }` leaves it out'
# Which is so, also in what is emitted and goes on.
deep 'params "model.embed.**" { init = "base.npz" }
params "model.embed.extra" { init = none }'
has 3 7
expect 0 emit models/deep.mtf --backend json
/usr/bin/python3 -c "import json
files = json.load(open('out'))['initial']
assert [p['path'] for f in files for p in f['parameters']] == ['model.embed.table']" || fail "emitted: other first values"
expect 0 train models/deep.mtf -o deep
expect 0 train --resume deep --steps 2
# In quotes it is a file, and another word is none.
deep 'params "model.embed.table" { init = "none" }'
expect 3 train models/deep.mtf
says err '`models/none`'
deep 'params "model.embed.**" { init = nothing }'
expect 1 check models/deep.mtf

# Whoever reads the file, the mistake is the same, at the setting, with what to do.
/usr/bin/python3 - <<'P'
import struct, zipfile
text = "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 6), }"
text += " " * (63 - (10 + len(text)) % 64) + "\n"
with zipfile.ZipFile("models/turned.npz", "w") as z:
    z.writestr("teacher.w.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + bytes(8 * 24))
P
for command in train "run teacher.w -o got.npz" verify; do
  set -- $command
  student 'params "teacher.w" { init = "turned.npz" }'
  expect 3 "$1" models/student.mtf "${@:2}"
  says err "error[E501]"
  says err "models/student.mtf:12:29"
  says err "store the transposed array"
  student 'params "teacher.w" { init = "nothere" }'
  expect 3 "$1" models/student.mtf "${@:2}"
  says err "error[E502]"
  says err "models/student.mtf:12:29"
  says err "takes .npz, .safetensors and run folders"
done
# Without a step there is no loss.
expect 3 train models/student.mtf --json
json out "o['steps'] == 0 and o['loss'] is None"

# A head of another size, as where a model is tuned for another task: what is proposed leaves out the head alone.
cat >models/head.mtf <<'M'
use "nn.mtf"
dim batch = 8, d = 6, c = 5, layers = 2
input x[batch, d] from gaussian(seed=1)
input y[batch, c] from gaussian(seed=2)
block net(x over d -> c) {
  h = x
  repeat layers { h = tanh(dense@up(h over d -> d)) }
  return dense@head(h over d -> c)
}
z = net@model(x over d -> c)
loss mean((z - y)^2)
train { optimizer = sgd(lr=0.1)  steps = 3 }
M
expect 0 train models/head.mtf -o models/base
groups='params "**" { init = "base" }'
tuned() { sed "s/c = 5/c = 4/; s|steps = 3|steps = 3  $groups|" models/head.mtf; }
tuned >models/tuned.mtf
expect 3 train models/tuned.mtf
says err 'a later `params "model.head.**" { init = none }` leaves them out (`frozen = false` beside it, where an earlier group freezes); 1 more of the file'"'"'s parameters is new in the model or of another shape: model.head.b'
groups+='  params "model.head.**" { init = none }'
tuned >models/tuned.mtf
expect 0 train models/tuned.mtf
# A new one of all iterations.
tuned | sed 's/dense@up(h over d -> d)/& + dense@low(h, bias=false over d -> d)/' >models/low.mtf
expect 3 train models/low.mtf
says err 'a later `params "model.layers.*.low.w" { init = none }` leaves it out'
# More layers than the file has: those alone are new.
groups='params "**" { init = "base" }'
sed "s/layers = 2/layers = 3/; s|steps = 3|steps = 3  $groups|" models/head.mtf >models/deep.mtf
expect 3 train models/deep.mtf
says err 'a later `params "model.layers.2.up.**" { init = none }` leaves them out'
# A model that is called otherwise: nothing of it is there.
sed "s/net@model/net@other/; s|steps = 3|steps = 3  $groups|" models/head.mtf >models/other.mtf
expect 3 train models/other.mtf
says err "none of the model's is in it, which has"
says err '`model.head.b`'
# States come with the parameters: a frozen network with running means is the one that was trained.
cat >models/norm.mtf <<'M'
use "nn.mtf"
dim batch = 40, io = 8
input x[batch, io] from gaussian(seed=1)
h = dense@fc(batch_norm@bn(x * 3 + 20 over io) over io -> hidden)
dim hidden = 4
loss mean(h^2)
train { optimizer = adam(lr=1e-2)  steps = 30 }
M
expect 0 train models/norm.mtf -o models/normed
expect 0 eval models/norm.mtf --checkpoint models/normed --json
cp out evaluated
sed 's|steps = 30|steps = 1  params "**" { init = "normed" }|; s|lr=1e-2|lr=0|' models/norm.mtf >models/still.mtf
expect 0 train models/still.mtf --json
/usr/bin/python3 - <<'P' || fail "states are not taken from the file"
import json
wanted = json.load(open("evaluated"))["loss"]
found = json.load(open("out"))["eval_loss"]
assert abs(found / wanted - 1) < 0.1, (found, wanted)
P
# A state of another size, which a group of its own leaves out.
cat >models/book.mtf <<'M'
dim batch = 4, d = 3
input x[batch, d] from gaussian(seed=1)
param w[d] = 1
state seen[d] = 0
update seen = seen + mean(x over batch)
loss mean(square(x * w - seen))
train { optimizer = sgd(lr=0.1)  steps = 2 }
M
expect 0 train models/book.mtf -o models/booked
sed 's/seen\[d\] = 0/seen[] = 0/; s/mean(x over batch)/mean(x)/; s|steps = 2|steps = 2  params "**" { init = "booked" }|' models/book.mtf >models/one.mtf
expect 3 train models/one.mtf
says err 'state `seen` is f32[d=3] in'
says err 'a later `params "seen" { init = none }` leaves it out'
sed -i 's|{ init = "booked" }|&  params "seen" { init = none }|' models/one.mtf
expect 0 train models/one.mtf
# The same dimensions in another order are another tensor, though all sizes are equal.
cat >models/square.mtf <<'M'
dim batch = 8, io = 6, hidden = 6
input x[batch, io] from gaussian(seed=1)
param w[io, hidden] ~ normal(0.2)
loss mean(square(einsum(x, w over io) - 1))
train { optimizer = sgd(lr=0.1)  steps = 2 }
M
expect 0 train models/square.mtf -o models/squared
sed 's/w\[io, hidden\]/w[hidden, io]/' models/square.mtf >models/turned.mtf
expect 3 eval models/turned.mtf --checkpoint models/squared
says err "f32[io=6, hidden=6] in"
expect 3 train models/turned.mtf --resume models/squared --steps 4
sed 's|steps = 2|steps = 2  params "**" { init = "squared" }|' models/turned.mtf >models/begun.mtf
expect 3 train models/begun.mtf
says err "its dimensions are in another order: declare them as the file has them"
sed 's/hidden/wide/g' models/square.mtf >models/renamed.mtf
expect 0 eval models/renamed.mtf --checkpoint models/squared
# Rows of an embedding are those of the tokens that the file was trained with.
printf 'abcd abcd dcba %.0s' {1..40} >models/one.txt
printf 'abce abce ecba %.0s' {1..40} >models/two.txt
cat >models/letters.mtf <<'M'
dim batch = 4, length = 8, vocab = 5, d = 4
data text = chars("one.txt")
input tok[batch, length]: int from text.window
input nxt[batch, length]: int from text.window_next
param table[vocab, d] ~ normal(0.5)
loss mean(cross_entropy(einsum(table[vocab = tok], table over d), nxt over vocab))
train { optimizer = sgd(lr=0.1)  steps = 2 }
M
expect 0 train models/letters.mtf -o models/lettered
sed 's|steps = 2|steps = 2  params "**" { init = "lettered" }|' models/letters.mtf >models/again.mtf
expect 0 train models/again.mtf
grep -q "other tokens" err && fail "the same tokens are called others"
sed 's|one.txt|two.txt|' models/again.mtf >models/moved.mtf
expect 0 train models/moved.mtf
says err 'ids of `text` stand for other tokens than in `models/lettered`'
done_testing
