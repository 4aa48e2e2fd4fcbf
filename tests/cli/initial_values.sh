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
says err "parameter \`teacher.w\` is f32[6, 4] in \`models/teacher.safetensors\`, f32[6, 5] in the model"
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
done_testing
