# Sizes that mesh axes do not divide: the numbers of one processor, whatever is padded; files and
# checkpoints never are.
. "$(dirname "$0")/lib.sh"
model=$TREE/tests/cli/uneven.mtf

train() { expect 0 train "$model" --log "$2" --replicas all "${@:3}" ${1:+--rules "$1"}; }
same() {
  /usr/bin/python3 - "$1" "$2" <<'P' || fail "$1 differs from $2"
import json, sys
keys = ("loss", "eval_loss", "accuracy")
read = lambda path: [[x.get(k) for k in keys] for x in map(json.loads, open(path))]
a, b = read(sys.argv[1]), read(sys.argv[2])
near = lambda x, y: x == y or (x is not None and y is not None and abs(x - y) <= 1e-10 * abs(y))
sys.exit(not (len(a) == len(b) > 4 and all(near(x, y) for p, q in zip(a, b) for x, y in zip(p, q))))
P
}
train "" one.log
train "" one.micro.log --set train.microbatches=2
i=0
while read -r mesh rules; do
  i=$((i + 1))
  train "$rules" $i.log --mesh "$mesh"
  same $i.log one.log
  train "$rules" $i.micro.log --mesh "$mesh" --set train.microbatches=2
  same $i.micro.log one.micro.log
done <<'L'
a:4 batch:a
a:3 length:a
a:5 memory:a
a:4 d:a
a:2;b:2 heads:a+b
a:2;b:4 dh:a;heads:b
a:3 vocab:a
a:2 k:a
a:4 row:a;row2:a
a:2;b:3 col:a;chan:b
a:16 batch:a
a:2;b:2 batch:a;length:b;set update=sharded
a:4 batch:a;param "**" { d:a }
a:2;b:3 batch:a;in "*" { d:b };value "logits" { vocab:b }
a:7 row:a;chan?:a
L

# What it costs is said: a note, a warning from a tenth on, an error where a rule must divide.
expect 0 check "$model" --rules "vocab:a" --mesh a:3
says err "N422"
says err "\`vocab\` (11) is padded to 12 for 3 shards over \`a\`"
expect 0 check "$model" --rules "batch:a" --mesh a:8
says err "W422"
expect 1 check "$model" --rules "dh!:a" --mesh a:4
says err "without \`!\`"
expect 1 check "$model" --rules "in \"*\" { d!:a }; param \"**\" { vocab!:a }" --mesh a:4
says err "E401"
! grep -q '``' err || fail "a value without a name is named"
# What scopes take back everywhere is not padded, and splits nothing.
back=("$TREE/models/gpt.mtf" -D layers=2 -D d_model=12 -D heads=3 --mesh "a:2;b:2")
expect 0 cost "${back[@]}" --rules 'batch:a' --json
cp out without
expect 0 cost "${back[@]}" --rules 'batch:a; heads:b; in "layers.*.attn" { heads:[] }' --json
json out "[d['code'] for d in o['diagnostics']] == ['W410']"
json out "o['memory'] == json.load(open('without'))['memory']"

# Checkpoints know no padding: from one layout to another and to one processor, step by step.
run() { expect 0 train "$model" --steps "$1" --replicas all "${@:2}"; }
run 4 -o whole
run 2 -o first --rules "vocab:a;batch:b" --mesh "a:3;b:4"
expect 0 train "$model" --resume first -o second --steps 3 --rules "d:a;set update=sharded" --mesh a:4
expect 0 train "$model" --resume second -o third --steps 4
expect 0 cost "$model" --rules "vocab:a;batch:b" --mesh "a:3;b:4"
/usr/bin/python3 - whole third <<'P' || fail "checkpoints differ"
import json, struct, sys, glob, os
import numpy as np
def read(folder):
    path = sorted(glob.glob(folder + "/**/*.safetensors", recursive=True))[-1]
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8:8 + size])
    head.pop("__metadata__", None)
    types = {"F64": np.float64, "F32": np.float32, "I32": np.int32}
    return {k: np.frombuffer(data[8 + size + v["data_offsets"][0]:8 + size + v["data_offsets"][1]],
                             types[v["dtype"]]).reshape(v["shape"]) for k, v in head.items()}
a, b = read(sys.argv[1]), read(sys.argv[2])
assert a.keys() == b.keys() and len(a) > 20
for name in a:
    assert a[name].shape == b[name].shape, name
    assert np.allclose(a[name], b[name], rtol=1e-9, atol=1e-12), name
P
# A size that is proposed is one that does: of all micro-batches together, and for all stages.
cat >parts.mtf <<'M'
dim batch = 8, d = 4, layers = 2
input x[batch, d] from gaussian(seed=1)
h = x
repeat layers {
  param w[d] ~ normal(1)
  h = h * w
}
loss mean(h^2)
train { optimizer = sgd(lr=0.1)  steps = 2  microbatches = 4 }
M
printf 'mesh data=2\nbatch!:data\npipeline "layers.*" { stages = 2; data = 2+16 }\n' >staged.layout
printf 'mesh data=3\nbatch:data\n' >third.layout
printf 'mesh data=4\nbatch!:data\n' >quarter.layout
for pair in quarter:16 third:12 staged:64; do
  expect 1 check parts.mtf --strict --layout "${pair%:*}.layout" --json
  json out "'${pair#*:}' in ' '.join(d['helps'][0] for d in o['layouts'][0]['diagnostics'] if d['helps'])"
  expect 0 check parts.mtf --strict --layout "${pair%:*}.layout" -D "batch=${pair#*:}"
done
# A block's own dimension is padded in every instance.
cat >instances.mtf <<'M'
use "nn.mtf"
dim batch = 8, pix = 24, c = 32, layers = 8
input x[batch, pix, c] from gaussian(seed=1)
h = x
repeat layers { h = h + tanh(conv1d@conv(h over pix, c -> pix, c)) }
loss mean((h - 1)^2)
train { optimizer = sgd(lr=0.1) steps = 3 }
M
for layers in 1 8; do
  expect 0 check instances.mtf -D layers=$layers --rules "tap:a" --mesh "a:2"
  says err "W422"
done
# A change that leaves the padding as it is is proposed.
cat >changes.mtf <<'M'
dim batch = 8, d = 5
input t[batch] from gaussian(seed=1)
param w[d] ~ normal(1)
loss mean(sin(broadcast(t -> batch, d) * w))
train { optimizer = sgd(lr=0.1) steps = 3 }
M
expect 1 check changes.mtf --rules "batch:a;d:a" --mesh "a:5"
says err "remove \`d:a\`, or remove \`batch:a\`"
done_testing
