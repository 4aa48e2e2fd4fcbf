# `cost --symbolic`: formulas are what is counted, at any sizes; Table 1 of Mesh-TensorFlow's paper.
. "$(dirname "$0")/lib.sh"
models=$TREE/models

# The table's rows: work, communication, their ratio, memory (Shazeer et al., arXiv 1811.02084, Table 1).
row() {
  expect 0 cost "$models/two_layer.mtf" --layout "$models/layouts/two_layer/$1.layout" --symbolic --leading
  says out "work $2 communication $3 communication / work $4 memory $5 where"
}
row replicated "batch*io*hidden" 0 0 "batch*io + batch*hidden + io*hidden"
row dp "batch/rows*io*hidden" "io*hidden" "rows/batch" "batch/rows*io + batch/rows*hidden + io*hidden"
row mp "batch*io*hidden/cols" "batch*io" "cols/hidden" "batch*io + batch*hidden/cols + io*hidden/cols"
row dp_mp "batch/rows*io*hidden/cols" "io*(batch/rows + hidden/cols)" "cols/hidden + rows/batch" \
  "batch/rows*io + batch/rows*hidden/cols + io*hidden/cols"
row dp_mp_3d "batch/rows*io/planes*hidden/cols" \
  "batch/rows*io/planes + batch/rows*hidden/cols + io/planes*hidden/cols" \
  "cols/hidden + planes/io + rows/batch" \
  "batch/rows*io/planes + batch/rows*hidden/cols + io/planes*hidden/cols"
[ "$(tail -n +2 out | awk "length > 80" | wc -l)" -eq 0 ] || fail "wider than 80 columns"

# An axis that is called as a dimension.
expect 0 cost "$models/two_layer.mtf" --rules batch:batch --mesh batch:2 --symbolic --leading
says out "work batch/mesh.batch*io*hidden"

# Formulas of one size at another one: what is counted there.
cat >check.py <<'P'
import json, random, re, subprocess, sys
from formulas import differences
mtfc, models = sys.argv[1:3]
random.seed(17)
def report(model, layout, mesh, dims, *more):
    command = [mtfc, "cost", f"{models}/{model}.mtf", "--symbolic", "--json"]
    command += ["--layout", f"{models}/layouts/{model}/{layout}.layout"] if layout else []
    command += ["--mesh", mesh] if mesh else []
    for name, size in dims.items(): command += ["-D", f"{name}={size}"]
    run = subprocess.run(command + list(more), capture_output=True, text=True)
    made = json.loads(run.stdout)
    assert made["ok"], (command, made["diagnostics"])
    return made
def dims_of(table): return {name: random.choice(sizes) for name, sizes in table.items()}
def mesh_of(model, layout):
    text = open(f"{models}/layouts/{model}/{layout}.layout").read()
    axes = re.findall(r"(\w+)=\d+", re.search(r"^mesh (.*)", text, re.M)[1]) if "\nmesh " in text else []
    return ";".join(f"{axis}:{random.choice([2, 4])}" for axis in axes)
many = {
    "two_layer": ({"batch": [64, 96, 128], "io": [512, 768], "hidden": [128, 256, 512]},
                  "replicated dp mp dp_mp dp_mp_3d"),
    "gpt": ({"batch": [16, 32], "length": [64, 96], "d_model": [128, 192], "heads": [4, 8]},
            "dp mp dp_mp fsdp fsdp_tp fsdp_tp_seq fsdp_hybrid tp_seq zero1 context"),
}
for model, (dims, layouts) in many.items():
    for layout in layouts.split():
        first = report(model, layout, mesh_of(model, layout), dims_of(dims))
        for _ in range(2):
            second = report(model, layout, mesh_of(model, layout), dims_of(dims))
            for one in differences(first, second) + differences(second, second):
                print(model, layout, one)
# Sizes that the mesh does not divide; micro-batches.
uneven = [report("two_layer", "dp_mp", "rows:3;cols:2", {"batch": 64, "hidden": size}) for size in (511, 129)]
micro = [report("gpt", "fsdp_tp", "", {"batch": 16}, "--set", f"train.microbatches={n}") for n in (2, 4)]
names = {s["name"] for s in uneven[0]["formulas"]["symbols"]}
assert {"padded(batch)", "padded(hidden)"} <= names, names
for a, b in (uneven, micro):
    for one in differences(a, a) + differences(a, b): print(one)
assert "microbatches" in micro[0]["formulas"]["bytes_sent"]["text"]
P
/usr/bin/python3 check.py "$MTFC" "$models" >out 2>err || fail "the comparison"
silent out

# A formula of a block is in the dimensions that its lists stand for, whatever else has their names.
cat >formal.mtf <<'M'
dim batch = 8, d = 4, a = 4
input x[batch, d] from gaussian(seed=1)
input z[batch, a] from gaussian(seed=2)
block wide(t over a) {
  dim inner = 3 * a
  param u[a, inner] ~ normal(1)
  return sum(relu(einsum(t, u over a)) over inner)
}
param q[a] ~ normal(1)
loss mean(square(wide(x over d) + einsum(z, q over a)))
train { optimizer = sgd(lr=0.1)  steps = 1 }
M
expect 0 cost formal.mtf --symbolic
says out "inner = 3*d, "
done_testing
