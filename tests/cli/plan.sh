# `plan`: the fastest layout of a space, against every layout of it asked for one by one.
. "$(dirname "$0")/lib.sh"
write_two_layers
machine=(--hardware h100)

# planned PROCESSORS-OR-MESH... -- MODEL OPTIONS...: the plan is in plan.json.
planned() {
  where=()
  while [ "$1" != -- ]; do where+=("$1"); shift; done
  of=("${@:2}")
  expect 0 plan "${of[@]}" "${machine[@]}" "${where[@]}" --json
  cp out plan.json
}
# proved: so are what asking `cost` for each of its layouts gives.
proved() {
  planned "$@"
  /usr/bin/python3 "$TREE/tests/tools/check_plan.py" "$MTFC" plan.json "${of[0]}" h100 "${of[@]:1}" >checked 2>&1 ||
    fail "plan ${of[*]} ${where[*]}: $(tail -n 1 checked)"
}
proved --processors 4 --axes 1 -- two.mtf
proved --processors 4 --axes 1 -- two.mtf -D batch=65536 -D io=8192 -D hidden=16384 --set train.microbatches=1
json plan.json 'o["best"]["mesh"] == "all=4" and "batch:all" in o["best"]["rules"] and o["excluded"]'
proved --mesh "rows:2;cols:2" -- two.mtf -D batch=65536 -D io=256 -D hidden=16384 --set train.microbatches=1
# What `set wire=bf16` would bring is what `cost` says of it; a layout that has it is asked no more.
data=(-D batch=65536 -D io=8192 -D hidden=16384 --set train.microbatches=1)
expect 0 plan two.mtf "${data[@]}" "${machine[@]}" --processors 4 --axes 1 -o best.layout --json
cp out plan.json
echo 'set wire=bf16' >>best.layout
expect 0 cost two.mtf "${data[@]}" "${machine[@]}" --layout best.layout --json
cp out narrow.json
json plan.json 'o["wire_bf16"]["step_seconds"] < o["best"]["step_seconds"]'
json plan.json 'o["wire_bf16"]["step_seconds"] == json.load(open("narrow.json"))["step_seconds"]'
printf 'set wire=bf16\n' >wire.layout
expect 0 plan two.mtf "${data[@]}" "${machine[@]}" --processors 4 --axes 1 --keep wire.layout --json
json out 'o["wire_bf16"] is None and o["best"]["step_seconds"] == json.load(open("narrow.json"))["step_seconds"]'
# Optional scopes of other models take no choice away.
printf 'mesh all=4\nin "blocks.*"? { length:[] }\nparam "blocks.**"? { d_model:all }\n' >other.layout
expect 0 plan two.mtf "${data[@]}" "${machine[@]}" --processors 4 --axes 1 --keep other.layout --json
json out 'o["space"]["kept"] and o["space"]["kept"] == json.load(open("plan.json"))["space"]["kept"]'
json out 'len(o["predicted"]) == len(json.load(open("plan.json"))["predicted"])'
# Scopes of blocks: positions are split where heads and d_ff leave the axis free.
positions=(--mesh "all:2" -- "$TREE/models/gpt.mtf" -D layers=1 --set train.microbatches=1)
if nightly; then proved "${positions[@]}" -D batch=4; else planned "${positions[@]}" -D batch=1; fi  # six hundred layouts, or half
json plan.json 'any("in \"layers.*.attn\" { length:[] }" in p["rules"] for p in o["predicted"] + o["excluded"])'
# An axis of the vocabulary splits the batch elsewhere, where embedding and logits are blocks: with general rules alone
# the look-up may not have both.
cat >words.mtf <<'M'
dim batch = 64, length = 32, vocab = 16384, d = 256, wide = 2048
input ids[batch, length]: int from gaussian_labels(seed=1, classes=vocab)
input target[batch, length]: int from gaussian_labels(seed=2, classes=vocab)
block embed(ids) { param table[vocab, d] ~ normal(0.02)  return table[vocab = ids] }
block logits(h) { param w[d, vocab] ~ normal(0.02)  return einsum(h, w over d) }
param w[d, wide] ~ normal(0.02)
param v[wide, d] ~ normal(0.02)
h = embed(ids)
h = h + einsum(tanh(einsum(h, w over d)), v over wide)
loss mean(cross_entropy(logits(h), target over vocab))
train { optimizer = adam(lr=0.001) steps = 10 microbatches = 1 }
M
proved --mesh "all:2" -- words.mtf
json plan.json 'any(e["rules"].startswith("vocab:all; in \"embed\" { batch:all }") for e in o["predicted"] + o["excluded"])'
! nightly || proved --mesh "outer:2;inner:2" -- words.mtf
# The batch over both axes in blocks, by hand, is no faster than what is found beside a vocabulary that is kept.
printf 'mesh outer=2, inner=2\nvocab:outer\n' >vocab.layout
printf 'mesh outer=2, inner=2\nvocab:outer; batch:inner\nin "embed", "layers.*", "lnf" { batch:outer+inner }\n' >hand.layout
vocab=("$TREE/models/llama.mtf" -D length=16 -D d_model=512 -D d_ff=2048 -D layers=2 -D vocab=32768 -D batch=256 -D heads=1
  -D kv_heads=1 -D d_head=512 "${machine[@]}")
expect 0 cost "${vocab[@]}" hand.layout --json
cp out hand.json
expect 0 plan "${vocab[@]}" --keep vocab.layout --time 5 --json
json out 'o["best"]["step_seconds"] <= json.load(open("hand.json"))["step_seconds"]'
# Experts get the axis of the batch in their block: expert parallelism, which nobody named.
cat >experts.mtf <<'M'
use "transformer.mtf"
dim batch = 8, length = 512, d = 512, hidden = 4096, experts = 8, chosen = 1, capacity = 2 * length / experts
input x[batch, length, d] from gaussian(seed=7)
y, balance = mixture_of_experts@moe(x over length, d)
loss mean(square(y - x))
train { optimizer = adam(lr=0.001) steps = 10 microbatches = 1 }
M
! nightly || proved --mesh "all:2" -- experts.mtf
proved --mesh "all:2" -- experts.mtf -D length=64
expect 0 plan experts.mtf "${machine[@]}" --mesh "all:4" --json
json out 'o["proved"] and o["best"]["rules"] == "batch:all; in \"moe.experts\" { batch:[]; experts:all }"'
# Rules that are kept may pad, as anywhere.
printf 'mesh ep=4\nbatch:ep\nin "moe.experts" { batch:[]; experts:ep }\n' >pads.layout
expect 0 plan experts.mtf "${machine[@]}" -D length=48 -D experts=6 --keep pads.layout --json
json out 'o["best"]'
# Where memory is short, what fits is proved too, and what cannot fit is excluded by what it keeps.
short=(-D batch=4096 -D io=1024 -D hidden=1024)
expect 0 plan two.mtf "${short[@]}" "${machine[@]}" --mesh "all:4" --json
free=$(/usr/bin/python3 -c 'import json; print(json.load(open("out"))["best"]["memory"])')
proved --mesh "all:4" --memory "$(/usr/bin/python3 -c "print(f'{$free * 0.7 / 1e6:.3f}MB')")" -- two.mtf "${short[@]}"

# Numbers of micro-batches that an axis does not divide say nothing of larger ones: of 100 examples on 2 processors 4 and 20
# are illegal, 10 and 50 are not.
cat >gaps.mtf <<'M'
dim batch = 100, s = 127, a = 63, d = 512, f = 1801
input x[batch, s, a] from gaussian(seed=1)
param w[a, d] ~ normal(0.02)
param u[d, f] ~ normal(0.02)
h = relu(einsum(relu(einsum(x, w over a)), u over d))
loss mean(square(h))
train { optimizer = sgd(lr=0.1)  steps = 5 }
M
proved --mesh "all:2" --memory 15MB -- gaps.mtf
json plan.json 'o["best"]["rules"].startswith("batch:all") and o["best"]["microbatches"] == 50'

# What does not fit is tried with its blocks computed again, and what does not fit then is excluded too.
cat >again.mtf <<'M'
use "nn.mtf"
dim batch = 8192, d = 64, f = 256, layers = 2
input x[batch, d] from gaussian(seed=7)
h = x
repeat layers { h = h + dense@down(tanh(dense@up(h over d -> f)) over f -> d) }
loss mean(square(h))
train { optimizer = adam(lr=0.001) steps = 10 microbatches = 1 }
M
proved --mesh "all:2" --memory 15MB -- again.mtf
json plan.json '"set recompute=full:1" in o["best"]["rules"]'
says checked "computed again"
# In as few iterations as it takes, which may be all.
proved --mesh "all:2" --memory 18MB -- again.mtf -D layers=3
json plan.json 'o["best"]["rules"].endswith("set recompute=full")'
# Of many iterations: what few of them say does not fit is compiled whole where it might be the best. By day two
# dimensions of the three can be split.
sizes='d = 1023, f = 4096, layers = 5'
! nightly || sizes='d = 1024, f = 4096, layers = 6'
sed "s/^dim .*/dim batch = 16384, $sizes/" again.mtf >wide.mtf
proved --mesh "all:2" --memory 1.25GB -- wide.mtf
json plan.json '"set recompute=full:" in o["best"]["rules"]'

# Parameters of layers with widths of their own are kept along several names together.
cat >widths.mtf <<'M'
use "nn.mtf"
dim batch = 512, a = 1024, b = 256, c = 1024, d = 256
input x[batch, a] from gaussian(seed=7)
h = relu(dense@one(x over a -> b))
h = relu(dense@two(h over b -> c))
h = relu(dense@three(h over c -> d))
loss mean(square(dense@four(h over d -> a)))
train { optimizer = adam(lr=0.001) steps = 10 microbatches = 1 }
M
proved --mesh "all:2" -- widths.mtf
json plan.json '[len(k["dims"]) for k in o["space"]["kept_together"] if k["mesh"] == "all=2" and k["axes"] == ["all"]] == [2]'
json plan.json 'any(p["rules"].count(":all") > 2 and "param" in p["rules"] for p in o["predicted"] + o["excluded"])'
# What has more sets of rules than can be held is planned without a proof.
expect 5 plan "$TREE/models/resnet.mtf" "${machine[@]}" --processors 4 --time 0
says out "there are too many sets of rules to hold"
seconds=4
! nightly || seconds=12  # with sanitizers
expect 0 plan "$TREE/models/resnet.mtf" "${machine[@]}" --processors 4 --time $seconds --json -o resnet.layout
json out 'not o["proved"] and o["meshes_cut_short"] > 0 and o["bound_seconds"] <= o["best"]["step_seconds"]'
expect 0 check "$TREE/models/resnet.mtf" --layout resnet.layout

# Evaluations of more than means take whole batches, however many micro-batches steps have, and
# must fit as well.
cat >far.mtf <<'M'
dim batch = 4096, io = 64, hidden = 4096
input x[batch, io] from gaussian(seed=7)
param w[io, hidden] ~ normal(0.02)
param v[hidden, io] ~ normal(0.02)
h = einsum(x, w over io)
metric farthest = max(gelu(h))
loss mean(square(einsum(relu(h), v over hidden) - x))
train { optimizer = sgd(lr=0.01) steps = 100 microbatches = 16 }
M
expect 0 plan far.mtf "${machine[@]}" --mesh all:2 --json
json out 'o["best"]["rules"] == "" and o["beside_step"]["when"] == "in an evaluation"'
json out 'o["best"]["memory"] == o["beside_step"]["bytes"] > 3 * o["beside_step"]["step_bytes"]'
proved --mesh all:2 --memory 100MB -- far.mtf
json plan.json 'o["best"]["rules"] == "batch:all" and o["best"]["memory"] < 100e6'
# What an entry buys counts evaluations, too.
json plan.json 'o["buys"][0]["without"]["step_seconds"] < o["best"]["step_seconds"]'
json plan.json 'o["buys"][0]["without"]["memory"] > 100e6'
expect 5 plan far.mtf "${machine[@]}" --mesh all:2 --memory 30MB
says out "is the least that was found"

# Statistics of the whole batch: with micro-batches the results were others.
cat >norm.mtf <<'M'
use "nn.mtf"
dim batch = 64, io = 32, hidden = 64
input x[batch, io] from gaussian(seed=7)
h = batch_norm@n(dense@up(x over io -> hidden) over hidden)
loss mean(square(dense@down(tanh(h) over hidden -> io) - x))
train { optimizer = adam(lr=0.001) steps = 10 }
M
proved --mesh all:2 -- norm.mtf
json plan.json 'o["space"]["microbatches"] == [1] and not o["space"]["staged"]'
expect 0 plan norm.mtf "${machine[@]}" --mesh all:2
says out "no micro-batches, with which"

# A limit on memory changes the choice; the layout that is written costs what was said.
big=(two.mtf -D batch=16384 -D io=8192 -D hidden=16384)
expect 0 plan "${big[@]}" "${machine[@]}" --processors 4 --axes 1 --json
free=$(/usr/bin/python3 -c 'import json; print(json.load(open("out"))["best"]["memory"])')
limit=$(/usr/bin/python3 -c "print(f'{$free * 0.95 / 1e9:.6f}GB')")
expect 0 plan "${big[@]}" "${machine[@]}" --processors 4 --axes 1 --memory "$limit" -o best.layout --json
json out "o['best']['memory'] <= $free * 0.95 and o['best']['fits']"
cp out plan.json
expect 0 cost "${big[@]}" --layout best.layout "${machine[@]}" --json
/usr/bin/python3 -c 'import json
best, cost = json.load(open("plan.json"))["best"], json.load(open("out"))
assert best["step_seconds"] == cost["step_seconds"] and best["memory"] == cost["run_memory"]["per_processor"]' ||
  fail "the layout costs something else"
says best.layout "without it a step takes"
expect 5 plan "${big[@]}" "${machine[@]}" --processors 4 --axes 1 --memory 1MB
says out "do not go together"
says out "is the least"
says out "No layout of the space fits."
# Where nothing can fit, that is proved however large the space is.
expect 5 plan "$TREE/models/gpt.mtf" -D layers=12 -D d_model=2048 "${machine[@]}" --processors 8 --memory 600MB --time 3 --json
json out 'o["proved"] and o["best"] is None and 6e8 < o["least_memory"] < o["smallest"]["memory"]'
json_conflict() { expect 5 plan "$@" --json && json out "$conflict"; }
conflict='o["conflict"] == ["--memory 60 MB", "--processors 2"] and o["processors_that_do"] == 4'
json_conflict two.mtf -D io=4096 -D hidden=2048 "${machine[@]}" --processors 2 --axes 1 --memory 60MB

# What is kept is kept, in the plan and in the file; the layout may bring its machine.
cat >part.layout <<'L'
mesh rows=2, cols=2
hardware h100
batch:rows  # ours
set update=sharded
L
expect 0 plan two.mtf --keep part.layout -o kept.layout --json
json out 'all(p["mesh"] == "rows=2, cols=2" and "batch" not in p["rules"] for p in o["predicted"]) and not o["space"]["updates"]'
says kept.layout "batch:rows  # ours"
cp out plan.json
expect 0 cost two.mtf --layout kept.layout --json
/usr/bin/python3 -c 'import json
best, cost = json.load(open("plan.json"))["best"], json.load(open("out"))
assert best["step_seconds"] == cost["step_seconds"]' || fail "what was kept costs something else"
expect 2 plan two.mtf --keep part.layout --processors 8
says err "the mesh that is kept has 4 processors"
echo "bogus:rows" >part.layout
expect 1 plan two.mtf "${machine[@]}" --keep part.layout --processors 4

# `[]` is not written beside rules, and rules that are kept hold in what is added.
printf 'mesh rows=4\n[]  # none yet\n' >part.layout
expect 0 plan two.mtf "${machine[@]}" -D batch=65536 -D io=8192 --set train.microbatches=1 --keep part.layout -o kept.layout
expect 0 check two.mtf --layout kept.layout
says kept.layout "# none yet"
printf 'mesh a=2, b=2\nheads:b\n' >part.layout
kept_heads=("$TREE/models/gpt.mtf" -D layers=1 -D batch=4 --set train.microbatches=1)
expect 0 plan "${kept_heads[@]}" "${machine[@]}" --keep part.layout --time 2 --json
json out 'not any("\"layers.*\" { batch" in p["rules"] for p in o["predicted"] + o["excluded"])'
json out 'any("in \"layers.*.attn\" { length:[] }" in p["rules"] for p in o["predicted"] + o["excluded"])'
# What does not divide is left whole, which is said, and what padding the batch would bring.
expect 0 plan two.mtf "${machine[@]}" -D batch=65536 -D io=256 -D hidden=256 --set train.microbatches=1 --mesh all:7
says out "over axes that divide them"
says out "With padding, which plans look at with \`--pad\`, a step of batch:all on mesh all=7 takes"
says out "With padding (\`--pad\`) others may be faster."
padded=(two.mtf -D batch=65536 -D io=256 -D hidden=250 --set train.microbatches=1)
proved --mesh all:7 --pad -- "${padded[@]}"
json plan.json 'o["best"]["rules"].startswith("batch:all") and o["space"]["pads"] and not o["space"]["undivided"] and not o["padded"]'
proved --processors 6 --memory 40MB --pad -- "${padded[@]}" -D batch=1024
expect 0 plan "${padded[@]}" "${machine[@]}" --mesh all:7 --pad -o best.layout
says out "over axes, padded where these do not divide them"
expect 0 cost "${padded[@]}" "${machine[@]}" --layout best.layout
expect 2 plan two.mtf "${machine[@]}" --mesh all:2 --stages 4
says err "--stages is of pipelines"
expect 2 plan two.mtf "${machine[@]}" --mesh "rows:2;cols:2" --axes 1
says err "the mesh has 2 axes, --axes says 1 at most"

# Several numbers of processors.
expect 0 plan two.mtf "${machine[@]}" --processors 2..8 --axes 1 --json
json out '[m["processors"] for m in o["machines"]] == [2, 4, 8] and all(m["proved"] for m in o["machines"])'
expect 0 plan two.mtf "${machine[@]}" --processors 2..8 --axes 1
says out "The smallest machine of these on which it fits has 2 processors."
expect 2 plan two.mtf "${machine[@]}" --processors many
says err "a range like"

# Layers that are alike are compiled twice and three times, the best of all as they are.
deep=("$TREE/models/gpt.mtf" -D layers=12 -D d_model=512 -D batch=32 -D length=255 --set train.microbatches=1)
expect 0 plan "${deep[@]}" "${machine[@]}" --mesh all:4 --json -o deep.layout
json out 'o["best"]["whole"] and 0 < o["deviation"] < 0.01'
cp out plan.json
expect 0 cost "${deep[@]}" "${machine[@]}" --layout deep.layout --json
/usr/bin/python3 -c 'import json
best, cost = json.load(open("plan.json"))["best"], json.load(open("out"))
assert (best["step_seconds"], best["memory"]) == (cost["step_seconds"], cost["run_memory"]["per_processor"])' ||
  fail "the best of many layers costs something else"

# For people; without time there is a gap instead of a proof.
expect 0 plan two.mtf "${machine[@]}" --processors 4
says out "No layout of the space is faster."
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fail "wider than 80 columns"
expect 5 plan two.mtf "${machine[@]}" --processors 4 --time 0
says out "Time was up"

expect 2 plan two.mtf "${machine[@]}"
says err "needs the number of processors"
expect 2 plan two.mtf --processors 4
says err "needs a machine"
expect 2 plan two.mtf "${machine[@]}" --processors 4 --memory lots
says err "an amount like"
expect 2 plan two.mtf "${machine[@]}" --processors 4 --mesh rows:2

# Two layers on a torus: both dimensions, as Mesh-TensorFlow's paper says (arXiv 1811.02084, Table 1).
expect 0 plan "$TREE/models/two_layer.mtf" -D batch=4096 -D io=4096 -D hidden=4096 --set train.microbatches=1 \
  --hardware tpu_v3 --processors 16 --json
json out 'o["proved"] and {e.split(":")[0] for e in o["best"]["rules"].split("; ")[:2]} == {"batch", "hidden"}'
# A Transformer with one text and eight processors: heads, the inner dimension and the vocabulary over
# them, as Megatron-LM has it (arXiv 1909.08053), and sequence parallelism between (arXiv 2205.05198),
# though the vocabulary keeps the logits' axis. Nobody named the pattern.
expect 0 plan "$TREE/models/llama.mtf" -D layers=2 -D d_model=4096 -D heads=32 -D kv_heads=8 -D d_ff=14336 -D vocab=32000 \
  -D length=1024 -D batch=1 --set train.precision=bf16 "${machine[@]}" --mesh all:8 --json
json out 'o["proved"] and set(o["best"]["rules"].split("; ")) == {"vocab:all", "d_ff:all", "kv_heads:all",
  "in \"layers.*\" { length:all }", "in \"layers.*.attn\" { length:[] }",
  "in \"layers.*.ffn.wi\" { length:[] }", "in \"lnf\" { length:all }"}'
# With more texts sequence parallelism beside it, as the shelf's tp_seq has it, and FSDP with still more.
wide=("$TREE/models/gpt.mtf" -D layers=1 -D length=64 -D d_model=2048 -D heads=16 --set train.microbatches=1 "${machine[@]}" --mesh all:8)
expect 0 plan "${wide[@]}" -D batch=16 --json
json out 'o["proved"] and set(o["best"]["rules"].split("; ")) == {"heads:all", "d_ff:all", "length:all",
  "in \"layers.*.attn\" { length:[] }", "in \"layers.*.mlp\" { length:[] }", "in \"layers.*.mlp.down\" { length:all }"}'
expect 0 plan "${wide[@]}" -D batch=64 --json
json out 'o["proved"] and "batch:all; param \"**\" { d_model:all }" in o["best"]["rules"]'
# What was excluded for links as they are may be faster with others: d_ff:all from about 2.9 GB/s on.
slow() { printf 'hardware m {\n  chip flops=10TF mem=80GB hbm=1TB/s vector=10TF launch=1us\n  link node switch size=4 bw=%s lat=2us\n}\n' "$1" >slow.layout; }
short=("$TREE/models/gpt.mtf" -D layers=2 -D d_model=1024 -D batch=1 -D length=512 -D vocab=64 --set train.microbatches=1
  --stages 1 --processors 4 --json)
slow 500MB/s
expect 0 plan "${short[@]}" --keep slow.layout
json out 'o["proved"] and o["best"]["rules"] == "" and 5e8 < o["stable"][0]["to"] < 2.9e9 < o["stable"][0]["predicted_to"]'
end=$(/usr/bin/python3 -c 'import json; print(int(json.load(open("out"))["stable"][0]["to"] * 0.999))')
slow "${end}B/s"
expect 0 plan "${short[@]}" --keep slow.layout
json out 'o["proved"] and o["best"]["rules"] == ""'
slow 3GB/s
expect 0 plan "${short[@]}" --keep slow.layout --time 8
json out 'o["best"]["rules"] == "d_ff:all"'
# Without a proof nothing is said not to fit.
expect 0 plan "$TREE/models/gpt.mtf" -D layers=5 -D batch=16 -D length=128 -D d_model=256 --set train.precision=bf16 "${machine[@]}" \
  --processors 4..8 --memory 28MB --time 2
says out "none found"
says out "on which a layout was found that fits has 8 processors"
# What is kept is not said to be "nothing split".
printf 'mesh all=4\nbatch:all\n' >kept.layout
expect 0 plan two.mtf "${machine[@]}" --keep kept.layout
says out "entries are added to those of kept.layout"


# With slow links nothing is split: that was predicted, and computes twice as long as the best.
cat >slow.mtf <<'M'
dim batch = 8192, a = 255, d = 8191
input x[batch, a] from gaussian(seed=1)
input y[batch] from gaussian(seed=2)
param w[a, d] ~ normal(0.02)
h = softmax(gelu(softmax(gelu(einsum(x, w over a)) over d)) over d)
loss mean((mean(h over d) - y)^2)
train { optimizer = sgd(lr=0.1)  steps = 5  microbatches = 2 }
M
cat >slow.layout <<'L'
hardware x { chip flops=60TF mem=80GB hbm=2000GB/s launch=1us
 link a switch size=64 bw=100GB/s lat=1us }
set update=replicated
L
expect 0 plan slow.mtf --hardware x --keep slow.layout --processors 2 --axes 1 --stages 1 --json
json out 'o["best"]["rules"] == "batch:all" and o["stable"][0]["predicted_from"] >= o["stable"][0]["from"] > 2e9'
json out 'o["stable"][0]["below"]["rules"] == ""'
# The micro-batches of the model are no entry of the plan; other work is of no line.
json out 'all("micro-batches" not in b["rule"] for b in o["buys"])'
json out 'any(r["reason"].startswith("other work takes") and r["reason"].endswith("longer") for r in o["rivals"])'
done_testing
