# mtfc check: the model and several layouts in one pass, for people and for programs.
. "$(dirname "$0")/lib.sh"
model=$TREE/models/two_layer.mtf
echo 'mesh rows=2, cols=2
batch:rows ; hidden:cols' >good.layout
echo 'mesh rows=2
batch:rows ; hiden:rows' >warned.layout
echo 'mesh rows=3
batch!:rows' >bad.layout

expect 0 check "$model"
says out "803,328 elements"
silent err
expect 0 check "$model" --layout good.layout --layout warned.layout
says err "did you mean"
expect 1 check "$model" --layout warned.layout --strict
expect 1 check "$model" --layout good.layout --layout bad.layout
says out "1 error"
says out "ok"
expect 1 check "$model" --layout good.layout --layout bad.layout --json
silent err
json out "o['schema'] == 1 and not o['ok'] and o['parameters'] == 803328"
json out "[l['ok'] for l in o['layouts']] == [True, False]"
json out "o['layouts'][0]['mesh'] == {'rows': 2, 'cols': 2} and o['layouts'][0]['processors'] == 4"
json out "o['layouts'][1]['diagnostics'][0]['code'] == 'E401'"
json out "any(s['primary'] and s['file'] == 'bad.layout' and s['line'] == 2 for s in o['layouts'][1]['diagnostics'][0]['spans'])"
expect 0 check "$model" --rules "batch:rows;hidden:cols" --mesh "rows:2;cols:4"
says out "rows=2, cols=4"
expect 1 check "$model" --rules "batch:rows"
expect 0 check "$model" -D batch=6 -D batch=12 --rules "batch:rows" --mesh "rows:12"
NO_COLOR=1 expect 1 check "$model" --layout bad.layout --color always
grep -q $'\x1b' err || fail "--color always shows no colour"
expect 1 check "$model" --layout bad.layout
! grep -q $'\x1b' err || fail "colour where nobody sees it"

# A layout that cannot be read is not counted as checked.
expect 2 check "$model" --layout good.layout --layout gone.layout
says out "not read"
! grep -q "0 errors" out || fail "an unreadable layout has a verdict"
expect 2 check "$model" --layout gone.layout --json
json out "o['layouts'][0]['read'] is False and not o['layouts'][0]['ok']"

# A size that does not divide is padded, and --strict is an error.
expect 0 check "$model" --rules batch:rows --mesh rows:3
says err "is padded to"
expect 1 check "$model" --rules batch:rows --mesh rows:3 --strict
says err "E401"

# Traps that are legal count with --strict.
echo 'mesh rows=2, cols=2
batch:rows' >idle.layout
expect 0 check "$model" --layout idle.layout
says err "W420"
expect 1 check "$model" --layout idle.layout --strict
# A rule for what is no dimension: what it is, and what splits that.
printf 'mesh rows=2\nbatch:rows\nw:rows\nx:rows\n' >tensors.layout
expect 0 check "$model" --layout tensors.layout
says err "\`w\` is a parameter with the dimensions"
says err "\`x\` is an input with the dimensions"
! grep -q "w?:rows" err || fail "a warning is silenced that says something"
printf 'mesh rows=2\nbatch:rows\nlayers:rows\n' >iterations.layout
expect 0 check "$TREE/models/gpt.mtf" --layout iterations.layout
says err "pipeline \"layers.*\" { stages = 2 }"
printf 'mesh rows=2\nbatch:rows\nhardware nosuch\n' >preset.layout
expect 1 check "$model" --layout preset.layout
says err "E420"
printf 'mesh rows=2\nrows:batch\n' >exchanged.layout
expect 1 check "$model" --layout exchanged.layout
says err "write \`batch:rows\`"

# A mesh that does not parse leaves nothing to count.
expect 1 check "$model" --mesh 2,2 --rules batch:rows
says out "--rules  -              -           -  1 error"
# Names, for tools: the places of one are all that a rename replaces.
expect 0 check "$model" --symbols --json
json out '{"file", "line", "column", "end_line", "end_column"} == set(o["symbols"][0]["declared"])'
cp out symbols.json
/usr/bin/python3 - "$model" <<'P' >renamed.mtf || fail "no symbols"
import json, sys
text = open(sys.argv[1]).read().split("\n")
hidden, = [s for s in json.load(open("symbols.json"))["symbols"] if s["name"] == "hidden"]
assert hidden["kind"] == "dimension" and hidden["instances"] == [{"path": "hidden", "type": "512"}], hidden
for place in sorted([hidden["declared"], *hidden["uses"]], key=lambda p: (p["line"], -p["column"])):
    line = text[place["line"] - 1]
    text[place["line"] - 1] = line[:place["column"] - 1] + "inner" + line[place["end_column"] - 1:]
print("\n".join(text), end="")
P
sed 's/\bhidden\b/inner/g' "$model" | diff - renamed.mtf || fail "a place of a name is missing"
sed 's/over io/over i0/' "$model" >m.mtf
# Of a used file the name stands within the quotes.
printf 'use "nn.mtf"\ndim batch = 4, d = 3, e = 2\ninput x[batch, d] from gaussian(seed=1)\nloss mean(nn.dense@a(x over d -> e))\n' >uses.mtf
expect 0 check uses.mtf --symbols --json
json out '[[(p["line"], p["column"], p["end_column"]) for p in (s["declared"], *s["uses"])]
  for s in o["symbols"] if s["name"] == "nn"] == [[(1, 6, 8), (4, 11, 13)]]'
expect 1 check m.mtf --symbols --json
json out 'any(s["name"] == "hidden" and s["uses"] for s in o["symbols"])'
expect 2 check "$model" --symbols
says err "belongs to"
# --fix applies what is proposed and helps, and nothing else.
sed 's/over io/over i0/' "$model" >m.mtf
printf 'mesh rows=2, cols=2\nbatch:rows ; hiden:cols\n' >fixed.layout
printf 'mesh rows=3\nbatch!:rows\n' >stays.layout
expect 1 check m.mtf --layout fixed.layout --layout stays.layout --fix
says err "repaired m.mtf: 1 change"
says err "repaired fixed.layout: 1 change"
says err "line 8: \`i0\` becomes \`io\`"
says err "line 2: \`hiden\` becomes \`hidden\`"
cmp -s m.mtf "$model" || fail "--fix does not repair the model"
grep -q "hidden:cols" fixed.layout || fail "--fix does not repair the layout"
grep -q "rows=3" stays.layout || fail "--fix changes what it cannot repair"
says out "1 error"
expect 0 check m.mtf --layout fixed.layout --fix
! grep -q repaired err || fail "--fix repairs what is well"

# What another language calls it, as a name of a setting and as its value.
sed 's/^train {/train { grad_clip = 1  precision = fp16 /' "$model" >foreign.mtf
sed 's/^train {/train { clip = 1  precision = f16 /' "$model" >ours.mtf
expect 1 check foreign.mtf
expect 0 check foreign.mtf --fix
cmp foreign.mtf ours.mtf || fail "--fix does not repair a foreign value of a setting"
# A name that was forgotten is not made another one.
cat >forgotten.mtf <<'M'
dim batch = 8, d = 4
input x1[batch, d] from gaussian(seed=1)
param w1[d] ~ normal(1)
param mask_token[d] ~ normal(1)
loss mean((x1 * w1 - x2 * w2 - x1 * mask)^2)
train { optimizer = sgd(lr=0.1)  steps = 3 }
M
cp forgotten.mtf kept.mtf
expect 1 check forgotten.mtf --fix
says err 'did you mean `w1`?'
says err 'did you mean `mask_token`?'
cmp forgotten.mtf kept.mtf || fail "--fix writes other names for those that were forgotten"
# A repair that uncovers another mistake counts if that one can be repaired too.
cat >two.mtf <<'M'
use "nn.mtf"
dim batch = 8, d = 4, e = 3
input x[batch, d] from gaussian(seed=1)
block f(t) {
  param w[d, e] ~ normal(1)
  h = einsum(t, w over d)
  return einsum(h, h over ee)
}
y = f(rleu(x))
M
sed 's/rleu/relu/; s/ee)/e)/' two.mtf >right.mtf
cp two.mtf both.mtf
expect 0 check both.mtf --fix
cmp -s both.mtf right.mtf || fail "--fix repairs not both of two mistakes, one of which hides the other"
# ... and stays as it is if not.
sed 's/over ee/over qqqq/' two.mtf >one.mtf
cp one.mtf before.mtf
expect 1 check one.mtf --fix
cmp -s one.mtf before.mtf || fail "--fix changes a model without leaving fewer mistakes"
# Offsets hold behind marks of the encoding and under other ends of lines.
{ printf '\357\273\277'; sed 's/$/\r/' two.mtf; } >marked.mtf
{ printf '\357\273\277'; sed 's/$/\r/' right.mtf; } >wanted.mtf
expect 0 check marked.mtf --fix
cmp -s marked.mtf wanted.mtf || fail "--fix mistakes offsets behind a byte order mark"
# Repairs of layouts: dimensions, paths and settings that are misspelled, in scopes as well.
printf 'mesh data=4\nbacth:data\nparam "layer.*.mlp.**" { d_mdel:data }\nin "layer.*.attn" { lenght:data }\nset updat=sharded\n' \
  >typos.layout
expect 0 check "$TREE/models/gpt.mtf" typos.layout --fix
expect 0 check "$TREE/models/gpt.mtf" typos.layout --fix
printf 'mesh data=4\nbatch:data\nparam "layers.*.mlp.**" { d_model:data }\nin "layers.*.attn" { length:data }\nset update=sharded\n' |
  diff - typos.layout || fail "typos are left"
# Of two names that are equally near none is taken.
printf 'mesh data=2, dato=2\nbatch:datu\n' >tied.layout
cp tied.layout before.layout
expect 1 check "$TREE/models/gpt.mtf" tied.layout --fix
says err "did you mean \`data\` or \`dato\`?"
cmp -s tied.layout before.layout || fail "--fix takes one of two axes that are equally near"
sed 's/adam(/adawm(/' "$TREE/models/mnist.mtf" >tied.mtf
cp tied.mtf before.mtf
expect 1 check tied.mtf --fix
says err "did you mean \`adam\` or \`adamw\`?"
cmp -s tied.mtf before.mtf || fail "--fix takes one of two optimizers that are equally near"
# The keyword of an entry, a machine, and the field of a source.
printf 'mash rows=2, cols=2\nbatch:rows\nhardware a10_80\n' >words.layout
sed 's/from digits.image/from digits.imgae/' "$TREE/models/mnist.mtf" >field.mtf
expect 1 check field.mtf --layout words.layout
expect 0 check field.mtf --layout words.layout --fix
says err "line 3: \`a10_80\` becomes \`a100_80\`"
printf 'mesh rows=2, cols=2\nbatch:rows\nhardware a100_80\n' | diff - words.layout || fail "words are left"
cmp -s field.mtf "$TREE/models/mnist.mtf" || fail "the field is not repaired"
printf 'mesh data=4\nbatch:data\nset gather=once\n' >idle.layout
expect 0 check "$TREE/models/gpt.mtf" idle.layout
says err "has nothing to gather"
printf 'mesh data=4\nbatch:data\nset wire=bf16\n' >wire.layout
expect 0 check "$TREE/models/gpt.mtf" wire.layout
grep -q "changes nothing" err && fail "f32 has sums for bf16"
expect 0 check "$TREE/models/gpt.mtf" wire.layout --set train.precision=f64
says err '`set wire=bf16` changes nothing in f64'
# A repair counts that leaves a warning of an error.
printf 'mesh data=4\nbatch:data\nset gather=one\n' >one.layout
expect 0 check "$TREE/models/gpt.mtf" one.layout --fix
diff idle.layout one.layout || fail "\`set gather=one\` is left"

# A slip where a name is declared, which stands once: not all its uses, in the model and in layouts, are rewritten.
sed 's/dim batch = /dim bacth = /' "$TREE/models/gpt.mtf" >slip.mtf
cp "$TREE/models/layouts/gpt/dp.layout" slip.layout
expect 0 check slip.mtf slip.layout --fix
says err '`bacth` becomes `batch`'
cmp -s slip.mtf "$TREE/models/gpt.mtf" || fail "--fix rewrites uses where the declaration has the slip"
cmp -s slip.layout "$TREE/models/layouts/gpt/dp.layout" || fail "--fix rewrites a layout for a slip in the model"

printf 'mesh data=4\nbatch:data\nset gather=onse\n' >idle.layout
expect 1 check "$TREE/models/gpt.mtf" idle.layout
! grep -q "nothing to gather" err || fail "a word that does not exist is said to have no effect"
# A path that would not match either is not proposed.
printf 'mesh data=4\nbatch:data\nparam "attn" { d_model:data }\n' >attn.layout
expect 0 check "$TREE/models/gpt.mtf" attn.layout
! grep -q "did you mean" err || fail "proposed what matches nothing"

printf 'mesh data=1\nset recompute=selctive\n' >word.layout
expect 1 check "$TREE/models/gpt.mtf" word.layout
says err "did you mean \`selective\`?"
expect 0 check "$TREE/models/gpt.mtf" word.layout --fix
grep -q '^set recompute=selective$' word.layout || fail "the word of a setting is not repaired"
expect 0 check "$TREE/models/mnist.mtf" word.layout
says err "no iterations to compute again"
# A dimension that a block takes by its name, misspelled where it is declared.
cat >block.mtf <<'M'
use "nn.mtf"
dim batch = 4, length = 8, memory = length, d = 8, heads = 2, d_haed = 4
input x[batch, length, d] from gaussian(seed=1)
loss mean(attention@a(x, x[length -> memory], kv=memory over d)^2)
M
expect 1 check block.mtf
says err "there is \`d_haed\`: rename it, or pass one: \`d_head=d_haed\`"

# Two dimensions of one name, of a block and of the file: both are shown.
cat >namesakes.mtf <<'M'
dim batch = 4, c = 6, c2 = 6
input x[batch, c] from gaussian(seed=1)
block inner(x over a -> b) {
  dim c2 = a
  y = x[a -> c2]
  param w[b] ~ normal(1)
  return sum(y * w over c2)
}
y = inner(x over c -> c2)
loss mean(square(y))
train { optimizer = sgd(lr=0.1)  steps = 2 }
M
expect 1 check namesakes.mtf --mesh a:3 --rules c2:a
says err 'one `c2`'
says err 'another `c2`'
says err 'give one of the two dimensions another name'
# What other programs have and is not here is no slip of what is here.
for line in 'optimizer = nadam(lr=0.1)  steps = 2' 'optimizer = sgd(lr=0.1)  steps = 2  accumulate = 2'; do
  printf 'dim b = 4\ninput x[b] from gaussian(seed=1)\nparam w[] = 1\nloss mean(w * x)\ntrain { %s }\n' "$line" >method.mtf
  cp method.mtf kept.mtf
  expect 1 check method.mtf --fix
  diff method.mtf kept.mtf || fail "--fix takes another method"
done
printf 'mesh a=2\nbatch:a\nset wire=f16\n' >sixteen.layout
expect 1 check "$TREE/models/mnist.mtf" sixteen.layout --fix
grep -q "wire=f16" sixteen.layout || fail "--fix takes another type"
done_testing
