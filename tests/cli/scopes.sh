# Scopes of values and blocks (`value "glob" { ... }`, `in "glob" { ... }`): the losses of one
# processor, what is sent where, what is refused.
. "$(dirname "$0")/lib.sh"
cat >m.mtf <<'M'
use "nn.mtf"
dim layers = 2, batch = 4, length = 8, memory = length, d_model = 16, heads = 4, d_head = 4, d_ff = 24, class = 8
input x[batch, length, d_model] from gaussian(seed=1)
input y[batch, length]: int from gaussian_labels(seed=2, classes=class)
block attention(x) {
  param wq, wk, wv [d_model, heads, d_head] ~ normal(0.2)
  param wo[heads, d_head, d_model] ~ normal(0.2)
  m = x[length -> memory]
  q = einsum(x, wq over d_model)
  k = einsum(m, wk over d_model)
  v = einsum(m, wv over d_model)
  a = softmax(where(index(length) >= index(memory), einsum(q, k over d_head), -1e9) over memory)
  return einsum(einsum(a, v over memory), wo over heads, d_head)
}
block mlp(x) { return dense@down(relu(dense@up(x over d_model -> d_ff)) over d_ff -> d_model) }
h = x
repeat layers {
  h = h + attention@attn(layer_norm@ln1(h over d_model))
  h = h + mlp@mlp(layer_norm@ln2(h over d_model))
}
loss mean(cross_entropy(dense@out(h over d_model -> class), y over class))
train { optimizer = adamw(lr=0.01)  steps = 5  clip = 0.5  precision = f64 }
M
layout() { printf '%s\n' "$2" | tr ';' '\n' >"$1.layout"; }
tp='mesh data=2, model=2;batch:data;heads:model;d_ff:model'
seq='in "layers.*" { length:model };in "layers.*.attn" { length:[] };in "layers.*.mlp" { length:[] };in "layers.*.mlp.down" { length:model }'
ctx='mesh data=2, model=2;batch:data;length:model'
kv='value "**.attn.m" { memory:model };value "**.attn.k" { memory:model };value "**.attn.v" { memory:model }'
layout tp "$tp"
layout tp_seq "$tp;$seq"
layout ctx "$ctx"
layout ctx_kv "$ctx;$kv"
layout mlp_only 'mesh model=4;in "layers.*.mlp" { d_ff:model }'
layout values 'mesh a=2, b=2;value "**.q" { heads:a+b };value "**.k" { batch:a; memory:b };value "h" { d_model:b }'
layout fsdp_seq "$tp;$seq;param \"**\" { d_model:data };set gather=again"
layout in_and_param "$tp;$seq;in \"layers.1.**\" { batch:[] };set update=sharded"

train() { expect 0 train m.mtf --log "$2" --replicas all "${@:3}" ${1:+--layout "$1.layout"}; }
same() {
  /usr/bin/python3 - "$1" "$2" <<'P' || fail "$1 differs from $2"
import json, sys
losses = lambda path: [x["loss"] for x in map(json.loads, open(path)) if "loss" in x]
a, b = losses(sys.argv[1]), losses(sys.argv[2])
sys.exit(not (len(a) == len(b) > 0 and all(abs(x - y) <= 1e-12 * abs(x) for x, y in zip(a, b))))
P
}
train "" one.log
for name in tp tp_seq ctx ctx_kv mlp_only values fsdp_seq in_and_param; do
  train $name $name.log
  same $name.log one.log
  train $name "$name.micro.log" --set train.microbatches=2
  same "$name.micro.log" one.log
done

# A window whose position is also a dimension of what it reads, both split over one axis by a scope and a rule.
cat >position.mtf <<'M'
dim d = 8, b = 4
param w[d, b] ~ normal(1)
block f(w) {
  x = w * 2
  y = x[d = 2 * index(b) + 1]
  return y * y
}
loss sum(f@f(w))
train { optimizer = sgd(lr=0.1)  steps = 3  precision = f64 }
M
expect 0 train position.mtf --log position.one.log
expect 0 train position.mtf --log position.log --replicas all --mesh a:2 --rules 'b:a;in "f" { d:a }'
same position.log position.one.log

# Sequence parallelism: each sum of tensor parallelism is a reduce-scatter and an all-gather, four of
# each in a layer (Korthikanti et al., arXiv 2205.05198, section 4.2.2); one gather at the end.
# `cost` names the scope that moves something.
expect 0 cost m.mtf --layout tp_seq.layout
says out 'in "layers.*.attn" length:[]'
awk '/because of/ { heads = /heads:model/ } heads && /reduce_scatter *model.*forward/ { n++ } END { exit !n }' out || fail "a product over heads is not scattered"
grep -q 'all_reduce *model.*\(forward\|backward\)' out && fail "a sum is not scattered"
grep -q 'all_to_all' out && fail "weights are gathered"
[ "$(awk '/(all_gather|reduce_scatter) +model, .*(forward|backward)/ { n += $1 } END { print n }' out)" -eq 17 ] ||
  fail "not 8 messages for each layer and 1 at the end: $(cat out)"
expect 0 cost m.mtf --layout ctx_kv.layout
says out 'value "**.attn.k" memory:model'
[ "$(awk '/all_gather +model.*forward/ { n += $1 } END { print n }' out)" -eq 4 ] ||
  fail "not only keys and values are gathered"

# Dumps after each pass lead to the same program; checkpoints go from one layout to another.
expect 0 train m.mtf --layout tp_seq.layout --dump-after all
cp out all.txt
for pass in split-batch mark-scopes differentiate-step assign-shardings; do
  expect 0 train m.mtf --layout tp_seq.layout --dump-after $pass
  cp out $pass.txt
  expect 0 train m.mtf --layout tp_seq.layout --start-from $pass.txt --log from.log
  same from.log tp_seq.log
done
sed 's/!scopes [0-9+]*/!scopes 99/' mark-scopes.txt >broken.txt
expect 2 train m.mtf --layout tp_seq.layout --start-from broken.txt
says err 'no scope has number 99'
sed 's/length over model/length over model+model/' mark-scopes.txt >broken.txt
expect 2 train m.mtf --layout tp_seq.layout --start-from broken.txt
says err 'an axis is listed twice'
expect 0 train m.mtf --layout tp_seq.layout --steps 3 -o run
expect 0 train --resume run --layout ctx_kv.layout --steps 5 -o other --log resumed.log
tail -n 2 one.log >last.log
tail -n 2 resumed.log >resumed.last.log
same resumed.last.log last.log
expect 0 verify m.mtf --layout ctx_kv.layout

# A scope ends a clash of general rules, and what belongs to no scope keeps the first of them.
cat >clash.mtf <<'M'
use "nn.mtf"
dim batch = 8, d = 8, e = 8
input x[batch, d] from gaussian(seed=1)
block f(x) {
  param w[d, e] ~ normal(0.5)
  return einsum(x, w over d)
}
loss mean(tanh(f@f(x)))
train { optimizer = adamw(lr=0.1)  steps = 3  precision = f64 }
M
expect 0 train clash.mtf --log one.clash.log
for rules in 'in "f" { e:a }' 'in "f" { d:[] }' 'in "f" { e:[] };param "f.w" { d:[] }'; do
  expect 0 train clash.mtf --log clash.log --replicas all --mesh a:2 --rules "d:a;e:a;$rules"
  same clash.log one.clash.log
done
# The deeper block holds, however many layers there are.
for layers in 1 2 4; do
  expect 0 cost m.mtf -D layers=$layers --mesh a:2,b:2 \
    --rules 'in "layers.0" { length:a };in "layers.*.attn" { length:b }' --json
  /usr/bin/python3 - <<'P' || fail "with $layers layers another scope holds"
import json, sys
causes = {x["cause"] for x in json.load(open("out"))["collectives"]}
sys.exit(not any("attn\" length:b" in cause for cause in causes))
P
done

# A window whose positions only a scope splits alike sends the edges of shards, as by general rules.
windows() {
  expect 0 cost "$TREE/models/local_attention.mtf" -D length=64 -D window=16 --mesh cols:2 --rules "$1"
  sed -n 's/^ *sent *//p' out
}
[ "$(windows 'length:cols;blocks:cols')" = "$(windows 'length:cols;in "**.attn" { blocks:cols }')" ] ||
  fail "a window is gathered where a scope splits it"

# Scopes that only cost, or do nothing, are told with places in both files; those that gain are not.
useless() { # useless LAYOUT TEXT...: what cost says of it; without TEXT nothing
  layout odd "$1"
  shift
  expect 0 cost m.mtf --layout odd.layout
  [ $# -gt 0 ] || ! grep -q W423 err || fail "a scope that gains is called useless"
  local text
  for text; do says err "$text"; done
}
split='mesh data=2, model=2;batch:data;heads:model'
useless "$split;in \"layers.*.attn\" { batch:[] }" 'scope `in "layers.*.attn"` costs and gains nothing' \
  'odd.layout:4:4' 'm.mtf:8' 'most of it is moved here' 'each processor sends'
useless "$split;in \"layers.*.mlp\" { batch:data };value \"**.q\" { heads:model }" \
  'scope `value "**.q"` changes nothing' 'scope `in "layers.*.mlp"` changes nothing'
useless "$split;in \"layers.*.mlp\" { length:model }"
# The way back counts: without these scopes the forward pass sends less, and a step more.
layout back "$split;d_ff:model;in \"layers.*\" { length:model };in \"layers.*.attn\" { length:[] };in \"layers.*.mlp\" { length:[] }"
expect 0 cost m.mtf -D length=64 -D batch=8 --layout back.layout
! grep -q W423 err || fail "a scope that a step gains by is called useless"
for name in tp_seq ctx_kv mlp_only fsdp_seq; do
  expect 0 cost m.mtf --layout $name.layout
  ! grep -q W423 err || fail "$name: a scope that gains is called useless"
done

# Wishes that cannot be meant.
refused() {
  layout bad "$2"
  expect "${3:-1}" check m.mtf --layout bad.layout "${@:4}"
  says err "$1"
}
refused 'matches no block instance of this model' "$tp;in \"layers.*.atn\" { length:model }" 0
refused 'matches no named value of this model' "$tp;value \"nothing\" { length:model }" 0
refused 'did you mean `layers.*`?' "$tp;in \"layer.*\" { length:model }" 0
expect 0 check "$TREE/models/gpt.mtf" --mesh m:3 --rules 'heads!:m; in "layers.*.attn" { heads:[] }'
refused 'rule `class:model` of `in "layers.*"` matches no dimension there' "$tp;in \"layers.*\" { class:model }" 0
refused 'no mesh axis named `modl`' "$tp;in \"layers.*\" { length:modl }"
refused '`d_ff` (24) cannot be split 16 ways' 'mesh data=16;in "layers.*" { d_ff!:data }'
refused 'splits `batch` and `length` of one tensor over mesh axis `model`' "$tp;in \"layers.*\" { length:model; batch:model }"
refused 'one scope has both: remove one of the two' "$tp;in \"layers.*\" { length:model; length:data }"
refused 'is split over both `model` and `data`' "$tp;in \"layers.*.ln1\" { length:model };in \"layers.*.ln1*\" { length:data }"
refused '`length` is a dimension and `model` a mesh axis: write `length:model`' "$tp;in \"layers.*\" { model:length }"
refused '`length:[]` outside of a scope' "$tp;length:[]"
refused '`batch` (2) cannot be split 4 ways' 'mesh data=4;value "h" { batch!:data }' 1 --set train.microbatches=2
refused 'of one tensor over the same mesh axis' "$tp;value \"h\" { length:model };value \"h\" { d_model:model }"
refused 'expected `{` and rules after "layers.*"' "$tp;in \"layers.*\" length:model"
refused 'a path has at most 1000 letters' "$tp;in \"$(printf 'a%.0s' {1..2000})\" { length:model }"
# An axis that a parameter has where it is used is not for another of its dimensions; what the help says is legal.
for model in gpt moe; do
  case $model in
    gpt) rules='vocab:data' options=(--set "data.text=$TREE/models/data/stories.txt") ;;
    moe) rules='batch:data; in "**.experts" { batch:[]; experts:data }' options=() ;;
  esac
  printf 'mesh data=2\n%s\nparam "**" { d_model:data }\n' "$rules" >twice.layout
  expect 1 check "$TREE/models/$model.mtf" "${options[@]}" --layout twice.layout --json
  cp out twice.json
  /usr/bin/python3 -c 'import json, re
[found] = [d for d in json.load(open("twice.json"))["layouts"][0]["diagnostics"] if d["code"] == "E402"]
print(re.search("`(param .*)`", found["helps"][0])[1])' >>twice.layout || fail "no help for $model"
  expect 0 check "$TREE/models/$model.mtf" "${options[@]}" --layout twice.layout
done
# Where an axis of the batch is wanted for parameters too, E402 says where it may be: of experts in their
# blocks, of any as those parameters are kept. What it says is legal, and computes the same.
for case in "moe experts" "moe d_ff" "two_layer hidden"; do
  read -r model dim <<<"$case"
  small=(--steps 3 -D batch=4)
  printf 'mesh a=2\nbatch:a\n%s:a\n' "$dim" >both.layout
  expect 1 check "$TREE/models/$model.mtf" -D batch=4 --layout both.layout --json
  cp out both.json
  /usr/bin/python3 - "$dim" >ways <<'P' || fail "no help for $model"
import json, re, sys
[found] = [d for d in json.load(open("both.json"))["layouts"][0]["diagnostics"] if d["code"] == "E402"]
ways = re.findall("write `" + sys.argv[1] + ":a` as `([^`]*)`", found["helps"][0])
assert len(ways) == (2 if sys.argv[1] == "experts" else 1), found["helps"]
print("\n".join(ways))
P
  expect 0 train "$TREE/models/$model.mtf" "${small[@]}" --json
  cp out alone.json
  while read -r way; do
    printf 'mesh a=2\nbatch:a\n%s\n' "$way" >one.layout
    expect 0 train "$TREE/models/$model.mtf" "${small[@]}" --layout one.layout --json
    /usr/bin/python3 -c 'import json
a, b = (json.load(open(f))["loss"] for f in ("alone.json", "out"))
assert abs(a - b) < 1e-5, (a, b)' || fail "$model: another loss under $way"
  done <ways
done
# A glob that matches nothing: what it may have meant.
cat >globs.layout <<'L'
mesh a=2
batch:a
param "layer.**" { d_ff:a }
param "**.wqq" { d_model:a }
value "layers.*.attn.qq" { length:a }
in "layers.*.atn" { length:a }
L
expect 0 check "$TREE/models/gpt.mtf" --layout globs.layout
for glob in 'layers.**' '**.wq' 'layers.*.attn.q' 'layers.*.attn'; do says err "did you mean \`$glob\`?"; done
printf 'mesh a=2\nbatch:a\npipeline "layer.*" { stages = 2 }\n' >globs.layout
expect 1 check "$TREE/models/gpt.mtf" --set train.microbatches=2 --layout globs.layout
says err 'did you mean `layers.*`?'
# Paths that other models have.
cat >shared.layout <<'L'
mesh a=2
batch:a
param "layers.**", "blocks.**"? { d_model:a }
in "layers.*.attn", "blocks.*.attn"? { d_model:a }
value "nothing"? { length:a }
L
expect 0 check "$TREE/models/gpt.mtf" --layout shared.layout --strict
# A name that is used twice is one path in scopes, as for parameters.
cat >twice.mtf <<'M'
use "nn.mtf"
dim batch = 4, d = 8, e = 8, c = 6
input x[batch, d] from gaussian(seed=1)
block to(x over from' -> into) { return dense@w(x over from' -> into) }
block back(x over from' -> into) { return dense@v(x over from' -> into) }
y = back@up(to@up(x over d -> e) over e -> c)
loss mean(y * y)
train { optimizer = sgd(lr=0.1)  steps = 2 }
M
for glob in up "up~1"; do
  printf 'mesh a=2\nin "%s" { batch:a }\n' "$glob" >twice.layout
  expect 0 cost twice.mtf --layout twice.layout --json
  cp out "$glob.json"
done
/usr/bin/python3 -c 'import json
both, second = (json.load(open(f))["flops"]["per_processor"] for f in ("up.json", "up~1.json"))
assert both < second, (both, second)' || fail "a scope of a name that is used twice"
# Typos of a pipeline are repaired, one after the other where one hides the next.
printf 'mesh a=2\nbatch:a\npipeline "layer.*" { stagse = 2; schedule = gpip }\n' >typos.layout
expect 0 check "$TREE/models/gpt.mtf" --set train.microbatches=2 --layout typos.layout --fix
grep -qx 'pipeline "layers.\*" { stages = 2; schedule = gpipe }' typos.layout || fail "pipeline not repaired: $(cat typos.layout)"
# What changes nothing is said: an entry for what nothing splits, settings of replicas on one processor.
printf 'mesh a=2\nbatch:a\nparam "**" { d_ff:[]; vocab?:[] }\nin "layers.*" { batch:[] }\n' >idle.layout
expect 0 check "$TREE/models/gpt.mtf" --layout idle.layout
says err 'entry `d_ff:[]` of `param "**"` changes nothing'
[ "$(grep -c W410 err)" = 1 ] || fail "W410 of an entry that acts, or of one with \`?\`: $(cat err)"
printf 'mesh a=1\nbatch:a\nset update=sharded\nset wire=f32\n' >alone.layout
expect 0 check "$TREE/models/gpt.mtf" --layout alone.layout
says err '`set update=sharded` changes nothing where one processor has a parameter'
[ "$(grep -c W410 err)" = 1 ] || fail "W410 of \`wire=f32\`"
# Once, however many there are.
{ printf 'mesh a=2\nbatch:a\nin "layers.*.attn" { d_ff:[] }\nin "layers.*" {'; printf ' d_ff:[]%.0s' {1..20000}; echo ' }'; } >many.layout
expect 0 check "$TREE/models/gpt.mtf" --layout many.layout
[ "$(grep -c W410 err)" -le 60 ] || fail "so many warnings: $(grep -c W410 err)"
[ "$(grep -c 'many.layout:3:' err)" = 1 ] || fail "an entry is told twice"
# Of several clashes, two changes that are enough together: applied, they are.
for case in "moe experts" "gpt d_ff"; do
  read -r model dim <<<"$case"
  printf 'mesh a=2\nbatch:a\n%s:a\nd_model:a\n' "$dim" >three.layout
  expect 1 check "$TREE/models/$model.mtf" --layout three.layout --json
  cp out three.json
  /usr/bin/python3 - "$dim" >two.layout <<'P' || fail "no two changes for $model"
import json, re, sys
found = [d for d in json.load(open("three.json"))["layouts"][0]["diagnostics"] if d["code"] == "E402"]
[two] = [h for d in found for h in d["helps"] if h.startswith("legal with two changes: ")]
rules = ["batch:a", sys.argv[1] + ":a", "d_model:a"]
scopes = re.findall("write `([^`]*)` as `([^`]*)`", two)
gone = [rule for rule, _ in scopes] + re.findall("remove `([^`]*)`", two)
assert len(gone) == 2 and scopes, two
print("\n".join(["mesh a=2"] + [r for r in rules if r not in gone] + [scope for _, scope in scopes]))
P
  expect 0 check "$TREE/models/$model.mtf" --layout two.layout
done

# Of a size that is not divided, the tensors of which a scope does not take the rule back.
cat >taken.mtf <<'M'
dim batch = 4, d = 6
input x[batch, d] from gaussian(seed=1)
param w[d] = 1
h = x * w
g = h + 1
loss mean(g)
M
expect 1 check taken.mtf --mesh r:4 --rules 'd!:r; value "g" { d:[] }'
says err "affects 3 tensors: \`w\`, \`x\` and \`h\`"
expect 1 check taken.mtf --mesh r:4 --rules 'd!:r'
says err "affects 4 tensors: \`w\`, \`x\`, \`h\` and \`g\`"
# A scope that rules nothing of what it matches changes nothing.
printf 'mesh a=4\nbatch:a\n' >plain.layout
printf 'value "layers.*.attn.k" { vocab:a }\n' | cat plain.layout - >nothing.layout
for name in plain nothing; do
  expect 0 cost "$TREE/models/gpt.mtf" --layout $name.layout --json
  sed -E 's/"diagnostics":.*"processors"//' out >$name.json
done
grep -q '"memory"' plain.json && cmp -s plain.json nothing.json || fail "a scope without effect changes the program"

# What splits nothing needs no mesh.
printf 'in "layers.*" { d_model:[] }\n' >nothing.layout
expect 0 check "$TREE/models/gpt.mtf" nothing.layout
says err "changes nothing"
done_testing
