# `plan` with pipelines: against every pipeline of small spaces, asked for one by one; the layout that is written; --stages.
. "$(dirname "$0")/lib.sh"
write_chain
write_slow_machine
sed 's/bw=4GB/bw=16GB/' slow.layout >fast.layout
chain=(chain.mtf --keep slow.layout --axes 1)

# planned PROCESSORS MEMORY OPTIONS...: on `machine`, in plan.json. proved: no pipeline is faster than what it names.
machine=slow
model=chain.mtf
also=()
planned() {
  expect 0 plan $model --keep $machine.layout --axes 1 --processors "$1" --memory "$2" "${@:3}" "${also[@]}" --json
  cp out plan.json
}
proved() {
  planned "$@"
  /usr/bin/python3 "$TREE/tests/tools/check_pipelines.py" "$MTFC" plan.json $model $machine.layout "${@:3}" >checked 2>&1 ||
    fail "plan of $*: $(tail -n 1 checked)"
}
proved 2 1GB
json plan.json 'o["best"]["stages"] == 1 and o["space"]["iterations"] == 3'
proved 2 11MB
json plan.json 'any(p["stages"] == 2 and p["fits"] for p in o["predicted"])'
# Where links are slow it is cheaper to send what crosses than gradients. Three stages of one layer each.
proved 3 2GB -D batch=1024 -D d=2048
json plan.json 'o["best"]["stages"] == 3 and o["best"]["microbatches"] > 3'
json plan.json 'len(o["rivals"]) == 3 and any(r["stages"] == 1 for r in o["rivals"])'  # why not without
proved 2 2GB -D batch=1024 -D d=2048 -D layers=4
json plan.json 'o["space"]["staged"][0]["chunks"] == [2]'
# Few micro-batches: stages of two chunks wait less for each other.
machine=fast proved 2 2GB -D batch=512 -D d=2048 -D layers=4 --set train.microbatches=4
json plan.json '"schedule = interleaved; chunks = 2" in o["best"]["rules"]'
grep -q '[1-9][0-9]* interleave' checked || fail "nothing interleaved was checked"

# Kernels as short as a launch: as many for each micro-batch, however many these are.
machine=fast proved 3 12MB --set train.microbatches=4

# A table that the first and the last stage share, and a norm that all wait for: few iterations say of cuts that are about as
# fast which is the fastest, and may be wrong.
cat >tied.mtf <<'M'
use "nn.mtf"
dim batch = 96, n = 64, k = 4096, v = 256, d = 512, f = 1024, layers = 8
input t[batch, n]: int from gaussian_labels(seed=2, classes=v)
input z[batch, k] from gaussian(seed=3)
input y[batch]: int from gaussian_labels(seed=4, classes=v)
param table[v, d] ~ normal(0.02)
param p[k, d] ~ normal(0.02)
h = mean(table[v = t] over n) + einsum(z, p over k)
repeat layers {
  param w1[d, f] ~ fan_in(over d)
  param w2[f, d] ~ fan_in(over f)
  h = h + einsum(relu(einsum(layer_norm@ln(h over d), w1 over d)), w2 over f)
}
loss mean(cross_entropy(einsum(h, table over d), y over v))
train { optimizer = adamw(lr=1e-3)  steps = 5  clip = 1.0  microbatches = 3 }
M
cat >tied.layout <<'L'
hardware slow { chip flops=60TF vector=5TF mem=16GB hbm=1TB/s launch=0.5us
 link c tree size=4 bw=10GB/s lat=0.2us }
L
model=tied.mtf machine=tied proved 2 16GB
json plan.json '"stages = 2; schedule = gpipe" in o["best"]["rules"]'
model=tied.mtf machine=tied proved 2 94.66MB
json plan.json '"stages = 3+5 }" in o["best"]["rules"] and "recompute" not in o["best"]["rules"]'

# Stages of submeshes, against all that there are.
also=(--submeshes)
proved 3 2GB -D d=1024 -D batch=512 --set train.microbatches=8
json plan.json 'o["space"]["submeshes"] == ["all=1", "all=2"] and o["space"]["submesh_processors"] == 3'
grep -q '[1-9][0-9]* are of submeshes' checked || fail "no submeshes were checked"
cat >head.mtf <<'M'
use "nn.mtf"
dim batch = 512, d = 1024, wide = 8192, layers = 2
input x[batch, d] from gaussian(seed=7)
input y[batch, wide] from gaussian(seed=8)
h = x
repeat layers { h = tanh(dense@lin(h over d -> d)) }
loss mean(square(dense@head(h over d -> wide) - y))
train { optimizer = adam(lr=0.001) steps = 10 }
M
# Six processors: the stage with the heavy head takes four or five of them.
if nightly; then
  model=head.mtf proved 6 4GB --set train.microbatches=8
else
  model=head.mtf planned 6 4GB --set train.microbatches=8
fi
json plan.json 'o["best"]["submeshes"] and o["best"]["stages"] == 2'
expect 0 plan head.mtf --keep slow.layout --axes 1 --processors 6 --set train.microbatches=8 --submeshes -o head.layout
says out 'stages also of submeshes of 1, 2, 3, 4, 5 processors (5 meshes)'
says head.layout 'all = '
expect 0 plan head.mtf --keep slow.layout --axes 1 --processors 6 --set train.microbatches=8 --json
/usr/bin/python3 -c 'import json
unlike, alike = (json.load(open(f))["best"]["step_seconds"] for f in ("plan.json", "out"))
assert unlike < 0.9 * alike, (unlike, alike)' || fail "submeshes win nothing"
expect 0 cost head.mtf --set train.microbatches=8 --layout head.layout --json
/usr/bin/python3 -c 'import json
best, cost = json.load(open("plan.json"))["best"], json.load(open("out"))
holds = cost["run_memory"]["per_processor"]
assert best["step_seconds"] == cost["step_seconds"] and best["memory"] == holds' ||
  fail "the pipeline of submeshes costs something else"
expect 0 train head.mtf -D batch=64 -D d=16 -D wide=32 --set train.microbatches=8 --steps 2 --layout head.layout

also=()
for none in "--processors 2" "--processors 4 --stages 1" "--mesh all:4"; do
  expect 2 plan chain.mtf --keep slow.layout $none --submeshes
  says err 'there are no pipelines for `--submeshes` to look at'
done
expect 2 plan chain.mtf --hardware h100 --processors 1024 --submeshes -D layers=96
says err 'allow fewer stages, as `--stages 4`, or leave it out'
expect 2 plan chain.mtf --hardware h100 --processors 16384 --axes 1 --stages 2 --submeshes
says err 'too many ways to deal 3 blocks out to 16384'

# What is written costs what was said, and trains.
big=(-D batch=1024 -D d=2048)
expect 0 plan "${chain[@]}" --processors 3 "${big[@]}" -o best.layout
says out "3 stages of one processor each"
says out "Train it with"
says best.layout 'pipeline "layers.*" { stages = 3'
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fail "wider than 80 columns"
expect 0 plan "${chain[@]}" --processors 3 "${big[@]}" --json
cp out plan.json
m=$(/usr/bin/python3 -c 'import json; print(json.load(open("plan.json"))["best"]["microbatches"])')
expect 0 cost chain.mtf "${big[@]}" --set train.microbatches="$m" --layout best.layout --json
/usr/bin/python3 -c 'import json
best, cost = json.load(open("plan.json"))["best"], json.load(open("out"))
holds = cost["run_memory"]["per_processor"]
assert best["step_seconds"] == cost["step_seconds"] and best["memory"] == holds' ||
  fail "the pipeline costs something else"
expect 0 train chain.mtf -D batch=64 -D d=16 --set train.microbatches=4 --steps 2 --layout best.layout

# None are tried if they are not wanted, if the model repeats nothing, or if the mesh is given.
expect 0 plan "${chain[@]}" --processors 2 --stages 1 --json
json out 'o["best"]["stages"] == 1 and not o["space"]["staged"]'
expect 0 plan "${chain[@]}" --processors 4 --stages 2 --json
json out '{s["stages"] for s in o["space"]["staged"]} == {2}'
expect 0 plan chain.mtf --keep slow.layout --mesh all:2 --json
json out 'not o["space"]["staged"]'
write_two_layers
expect 0 plan two.mtf --hardware h100 --processors 2 --json
json out 'not o["space"]["staged"]'
expect 2 plan "${chain[@]}" --processors 2 --stages 0

# Many layers are priced from a pipeline of nine; what is named is compiled as it is.
deep=("$TREE/models/gpt.mtf" -D layers=12 -D d_model=512 -D batch=64 -D length=255 -D heads=1 -D d_ff=2049 --hardware v100 --processors 4 --axes 1)
some=(--stages 2)
! nightly || some=()
expect 0 plan "${deep[@]}" "${some[@]}" --memory 2.2GB --set train.microbatches=16 --json -o deep.layout
json out 'o["best"]["stages"] > 1 and o["best"]["whole"] and o["deviation"] < 0.02'
cp out plan.json
expect 0 cost "${deep[@]:0:13}" --hardware v100 --set train.microbatches=16 --layout deep.layout --json
/usr/bin/python3 -c 'import json
best, cost = json.load(open("plan.json"))["best"], json.load(open("out"))
holds = cost["run_memory"]["per_processor"]
assert best["step_seconds"] == cost["step_seconds"] and best["memory"] == holds' ||
  fail "the pipeline of many layers costs something else"

# With nine layers or more what a stage of these works in is less than few say by more than is seldom: the plan looks
# as far as it says, and finds the cut.
cat >cheap.mtf <<'M'
use "nn.mtf"
dim batch = 960, a = 512, d = 64, c = 16, layers = 16
input x[batch, a] from gaussian(seed=1)
input y[batch]: int from gaussian_labels(seed=2, classes=c)
h = tanh(dense@b0(x, bias=false over a -> d))
repeat layers {
  param g[d] = 1
  h = tanh(h * g)
}
loss mean(cross_entropy(dense@out(h, bias=false over d -> c), y over c))
train { optimizer = adam(lr=1e-3) microbatches = 8 update = sharded steps = 5 }
M
echo 'hardware x { chip flops=60TF vector=5TF mem=16GB hbm=1TB/s launch=0.5us
  link c switch size=4 bw=100GB/s lat=0.2us
  link o tree size=8 bw=0.5GB/s lat=0.5us }
set recompute=full' >x.layout
expect 0 plan cheap.mtf --hardware x --keep x.layout --processors 4 --axes 1 --memory 876791B --json
json out 'o["proved"] and o["best"]["rules"].endswith("stages = 9+7 }") and 0.05 < o["trusted_to"]["step"] < 1'
json out 'o["trusted_to"]["memory"] == min(1, 2 * o["trusted_to"]["step"])'
json out 'all(p["whole"] or p["step_seconds"] * (1 - o["trusted_to"]["step"]) > 0.999 * o["best"]["step_seconds"] or
  p["memory"] * (1 - o["trusted_to"]["memory"]) > 0.999 * o["memory_limit"] for p in o["predicted"])'
expect 0 plan cheap.mtf --hardware x --keep x.layout --processors 4 --axes 1 --memory 876791B
says out "of a step too much, or"
done_testing
