# `scale`: the predicted step as a mesh axis grows; each point is what `cost` predicts there.
. "$(dirname "$0")/lib.sh"
write_two_layers
printf 'mesh rows=2, cols=2\nbatch:rows\nhidden:cols\n' >l.layout
two="two.mtf --layout l.layout -D batch=256 -D io=512 -D hidden=512"

expect 0 scale $two --axis rows=1..16 --hardware h100
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fail "wider than 80 columns"
says out "strong scaling over rows=1..16"
[ "$(grep -cE '^ +(1|2|4|8|16) +(2|4|8|16|32) ' out)" -eq 5 ] || fail "not five points"
silent err

# Each point is a prediction of its own, and its parts add up.
expect 0 scale $two --axis rows=1,4,8 --hardware h100 --json
cp out strong.json
expect 0 scale $two --axis rows=2..8 --weak batch --hardware h100 -o chart.svg --json
cp out weak.json
json weak.json 'o["scaling"] == "weak" and o["weak"] == "batch" and o["out"] == "chart.svg"'
json strong.json '[p["size"] for p in o["points"]] == [1, 4, 8] and o["points"][2]["processors"] == 16'
expect 0 cost $two --mesh "rows:8;cols:2" --hardware h100 --json
cp out strong8.json
expect 0 cost two.mtf --layout l.layout -D io=512 -D hidden=512 -D batch=1024 --mesh "rows:8;cols:2" --hardware h100 --json
cp out weak8.json
/usr/bin/python3 -c 'import json
for kind in ("strong", "weak"):
    s, c = json.load(open(kind + ".json")), json.load(open(kind + "8.json"))
    first, last = s["points"][0], s["points"][-1]
    assert last["step_seconds"] == c["step_seconds"], (last, c["step_seconds"])
    assert last["memory"] == c["memory"]["per_processor"] and s["mapping"] == c["mapping"]
    ideal = last["size"] / first["size"]
    faster = first["step_seconds"] / last["step_seconds"] * (ideal if kind == "weak" else 1)
    assert abs(last["speedup"] - faster) < 1e-12 and last["ideal"] == ideal
    for p in s["points"]:
        parts = p["computation_seconds"] + p["communication_exposed_seconds"]
        assert abs(parts - p["step_seconds"]) < 1e-12 * parts
        assert abs(p["efficiency"] - p["speedup"] / p["ideal"]) < 1e-12
    assert first["speedup"] == first["efficiency"] == 1
' || fail "points are not what cost predicts"

# Evaluations of the whole batch hold more than steps of micro-batches: what a run takes is what must fit.
cat >far.mtf <<'M'
dim batch = 4096, io = 64, hidden = 4096
input x[batch, io] from gaussian(seed=7)
param w[io, hidden] ~ normal(0.02)
h = einsum(x, w over io)
metric farthest = max(gelu(h))
loss mean(square(h))
train { optimizer = sgd(lr=0.01) steps = 100 microbatches = 16 }
M
far="far.mtf --rules batch:all --hardware h100"
expect 0 scale $far --mesh all:2 --axis all=2..4 --json
cp out far.json
expect 0 cost $far --mesh all:4 --json
/usr/bin/python3 -c 'import json
last, cost = json.load(open("far.json"))["points"][-1], json.load(open("out"))
assert last["memory"] == cost["run_memory"]["per_processor"] > 2 * cost["memory"]["per_processor"], (last, cost["run_memory"])
' || fail "what scales is not what a run holds"

# The chart: XML with both colour schemes, one bar for each point, no more words than there is room for.
/usr/bin/python3 -c 'import sys, xml.etree.ElementTree as e
text = open("chart.svg").read()
e.fromstring(text)
assert "prefers-color-scheme: dark" in text and "weak scaling in batch" in text
assert text.count("#aa4499\"/>") == 3 + 1, "a memory bar for each point, and the legend"
' || fail "the chart"
sizes=$(seq -s, 1 64)
expect 0 scale $two --axis "rows=$sizes" --hardware v100 -o many.svg --title 'a <b> & "c"'
says many.svg 'a &lt;b&gt; &amp; "c"'
says err "padded"

# More than fits; a machine of the layout.
printf 'mesh rows=2\nbatch:rows\nhardware tiny {\n  chip flops=1TF mem=1MB hbm=1GB/s\n  link rows ring bw=1GB/s\n}\n' >tiny.layout
expect 0 scale two.mtf --layout tiny.layout -D hidden=4096 --axis rows=1..4
says out "! more than the 1 MB of a chip"

# A range ends with its last number, whatever doubling meets.
expect 0 scale two.mtf --layout tiny.layout -D hidden=4096 --axis rows=1..6
test "$(grep -cE '^ +(1|2|4|6) ' out)" = 4 || fail "sizes of rows=1..6: $(cat out)"

# Mistakes.
expect 2 scale $two --axis rows=1..4
says err "needs a machine"
expect 2 scale $two --axis row=1..4 --hardware h100
says err 'did you mean `rows`?'
for axis in rows rows= =1..4 rows=4..2 rows=0..4 rows=2,2 rows=4,2 rows=1,,2 rows=1..x rows=-1..4 rows=1..99999999999999999999 \
  rows=1.. "rows=$(seq -s, 1 65)"; do
  expect 2 scale $two "--axis=$axis" --hardware h100
done
expect 1 scale two.mtf --rules "batch:rows" --axis rows=1..4 --hardware h100
expect 2 scale $two --axis rows=1..4 --weak bach --hardware h100
says err 'did you mean `batch`?'
expect 2 scale two.mtf --layout l.layout -D batch=7 --axis rows=2,3 --weak batch --hardware h100
says err "is not a size"
expect 2 scale $two --axis rows=1,2147483647 --weak batch --hardware h100
expect 1 scale $two --axis rows=1..65536 --hardware v100
says err "E421"
# What was predicted before the size that cannot be had is not lost.
printf 'mesh rows=2\nbatch!:rows\n' >divides.layout
expect 1 scale two.mtf --layout divides.layout -D batch=12 --axis rows=1..16 --hardware h100 -o part.svg
says err 'with `rows=8` of `--axis`'
says out "scaling over rows=1..4"
[ "$(grep -cE '^ +(1|2|4) +(1|2|4) ' out)" -eq 3 ] || fail "not three points"
[ -s part.svg ] || fail "no chart"
expect 2 scale $two --axis rows=1..2 --hardware h100 -o chart.png
expect 2 scale $two --axis rows=1..2 --hardware h100 --title x
expect 2 scale $two --hardware h100
expect 2 scale $two --axis rows=1..2 --hardware h1000
says err "E420"
done_testing
