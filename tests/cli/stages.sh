# Commands that once refused a pipeline: what each says of its stages.
. "$(dirname "$0")/lib.sh"
tr -d '\r' <"$TREE/models/data/stories.txt" | head -c 4000 >text
gpt=("$TREE/models/gpt.mtf" --set "data.text=$scratch/text" -D layers=4 -D batch=8 -D length=8 -D d_model=16
  -D heads=2 -D d_ff=32 -D vocab=80 --set train.microbatches=4)
rules='batch:data ; heads:model ; d_ff:model ; vocab?:model'
layout() { printf 'mesh %s\n%s\npipeline "layers.*" { %s }\n' "$2" "$rules" "$3" >"$1.layout"; }
layout two 'data=2, model=1' 'stages = 2'
layout three 'data=1, model=2' 'stages = 1+2+1; schedule = gpipe'
layout four 'data=2, model=2' 'stages = 4'
layout chunks 'data=2, model=1' 'stages = 2; chunks = 2'
sed 's/^pipeline.*//' two.layout >none.layout

# verify: as much is compared as without stages, and agrees in f64; so does what a layout says besides.
expect 0 verify "${gpt[@]}" --layout none.layout --json
cp out none.json
printf 'param "**" { d_model:data }\nset update=sharded\n' | cat two.layout - >kept.layout
for name in two three chunks kept; do
  expect 0 verify "${gpt[@]}" --layout $name.layout --json
  cp out $name.json
  /usr/bin/python3 - $name <<'P' || fail "verify compares something else under $name"
import json, sys
rows = lambda name: {d["name"]: d for d in json.load(open(name + ".json"))["differences"]}
ours, none = rows(sys.argv[1]), rows("none")
assert ours.keys() == none.keys() and len(ours) > 200 and "grad.layers.2.mlp.up.w" in ours, ours.keys() ^ none.keys()
assert all(d["ok"] and d["f64"]["relative"] < 1e-12 for d in ours.values())
P
done
expect 0 verify "${gpt[@]}" --layout two.layout --replicas all
says err "3 steps and step 1334 on 2 stages (1f1b) of mesh data=2, model=1 each and on one processor"
expect 0 verify "${gpt[@]}" --layout two.layout --set train.precision=bf16
expect 3 verify "${gpt[@]}" --layout two.layout --tolerance 1e-12

# What data parallelism sends of gradients is what it sends without a pipeline, where their norm is needed before the
# update, too: a reduce-scatter for the norm, and a gather for the update.
cat >wide.layout <<'L'
mesh data=4
batch:data
pipeline "layers.*" { stages = 2 }
L
sed 's/^pipeline.*//' wide.layout >flat.layout
for name in wide flat; do
  expect 0 cost "${gpt[@]}" -D batch=16 -D d_model=128 -D d_ff=512 --layout $name.layout --set train.clip=1 --json
  cp out $name.json
done
/usr/bin/python3 - <<'P' || fail "gradients are sent more often than once"
import json
wide, flat = json.load(open("wide.json")), json.load(open("flat.json"))
sent = sum(s["sent_in_stage"] for s in wide["stages"])
alone = sum(c["bytes_sent_per_processor"] for c in flat["collectives"])
assert 1.0 <= sent / alone < 1.02, (sent, alone)
P
# In bf16 the sums are half of that.
printf 'set wire=bf16\n' >>wide.layout
expect 0 cost "${gpt[@]}" -D batch=16 -D d_model=128 -D d_ff=512 --layout wide.layout --set train.clip=1 --json
cp out half.json
/usr/bin/python3 - <<'P' || fail "gradients that are kept for the update do not travel in bf16"
import json
sent = lambda name: sum(s["sent_in_stage"] for s in json.load(open(name))["stages"])
assert sent("half.json") < 0.76 * sent("wide.json")
P
# Sizes that the replicas do not divide, where a part reads the states that another writes.
for fields in 'stages = 2' 'stages = 2; data = 4+2'; do
  printf 'mesh data=4\nbatch:data\nset update=sharded\npipeline "layers.*" { %s }\n' "$fields" >odd.layout
  expect 0 verify "$TREE/models/t5_bias.mtf" -D length=8 -D d_model=14 -D heads=2 -D layers=2 -D batch=8 \
    --set train.microbatches=4 --layout odd.layout
done
printf 'mesh data=4\nbatch:data\npipeline "layers.*" { stages = 2; data = 4+2 }\n' >odd.layout
expect 0 why "${gpt[@]}" -D batch=16 --layout odd.layout
! grep -q 'cross\.' out || fail "what a stage keeps for itself is shown as if the model had it"

# What f16 adds to an update (loss scale, skipped steps) is done as the update is: nothing is held for it.
printf 'set recompute=selective\n' | cat two.layout - >selective.layout
for type in bf16 f16; do
  expect 0 cost "${gpt[@]}" --layout selective.layout --set train.precision=$type --json
  cp out $type.json
done
/usr/bin/python3 - <<'P' || fail "f16 holds more than bf16"
import json
memory = lambda type: [s["memory"] for s in json.load(open(type + ".json"))["stages"]]
assert all(h < 1.05 * b for h, b in zip(memory("f16"), memory("bf16"))), (memory("f16"), memory("bf16"))
P

# So it is without clipping, where only that a step is skipped is known late, but for shards of sums.
printf 'mesh data=2\nbatch:data\nin "**.experts" { batch:[]; experts:data }\npipeline "pairs.*" { stages = 2 }\n' >pairs.layout
for type in bf16 f16; do
  expect 0 cost "$TREE/models/moe.mtf" -D batch=8 -D length=16 -D d_model=256 --set train.microbatches=4 --layout pairs.layout --set train.precision=$type --json
  cp out $type.json
done
/usr/bin/python3 - <<'P' || fail "f16 holds more than bf16 without clipping"
import json
memory = lambda type: [s["memory"] for s in json.load(open(type + ".json"))["stages"]]
assert all(h < 1.1 * b for h, b in zip(memory("f16"), memory("bf16"))), (memory("f16"), memory("bf16"))
P

# set gather=step: each stage gathers once a step what it keeps on shards; it sends less for it, and holds more.
for gather in once step; do
  printf 'param "layers.*.mlp.**" { d_model:data }\nset gather=%s\n' $gather | cat chunks.layout - >$gather.layout
done
expect 0 verify "${gpt[@]}" --layout step.layout --replicas all
expect 0 diff "${gpt[@]}" once.layout step.layout --json
json out 'all(b["sent_in_stage"] < a["sent_in_stage"] and b["memory"] > a["memory"] for a, b in zip(*(l["stages"] for l in o["layouts"])))'
json out '[c["count"] for c in o["collectives"] if c["kind"] == "all_gather"] == [{"a": 80, "b": 2}]'

# train --profile: a process for each stage, each with its parts in the order of its schedule; a table of all.
expect 0 train "${gpt[@]}" --steps 3 --layout four.layout --profile p.json --json
cp out profiled.json
expect 0 train "${gpt[@]}" --steps 3 --layout four.layout --json
/usr/bin/python3 - <<'P' || fail "the profile of stages"
import json
t = json.load(open("p.json"))["traceEvents"]
names = [e["args"]["name"] for e in t if e["ph"] == "M" and e["name"] == "process_name"]
assert [n.split(":")[0] for n in names] == ["stage %d" % s for s in range(4)], names
runs = sorted((e for e in t if e.get("cat") == "program"), key=lambda e: e["ts"])
for stage in range(4):
    own = [e["name"] for e in runs if e["pid"] == stage]
    assert own and all(n.split(".")[1][:2].strip("fb").startswith(str(stage)) for n in own), own
    for step in (1, 2, 3):
        ours = [n for n in own if n.endswith("step %d" % step)]
        assert ours[:4 - stage] == ["accumulate.f%d %d, step %d" % (stage, m, step) for m in range(4 - stage)], ours
        assert len([n for n in ours if ".b" in n]) == 4
assert all(a["ts"] + a["dur"] <= b["ts"] + 1e-3 for a, b in zip(runs, runs[1:]))  # one after the other
plain, profiled = json.load(open("out")), json.load(open("profiled.json"))
assert plain["loss"] == profiled["loss"]
table = profiled["profile"]
assert table["steps"] == 3 and sum(r["seconds"] for r in table["rows"]) <= table["step_seconds"] * (1 + 1e-9)
P

# diff: each stage is what cost says of it, lines are of all processors, and so is what goes between stages.
expect 0 diff "${gpt[@]}" none.layout four.layout
[ "$(tail -n +5 out | awk 'length > 80' | wc -l)" -eq 0 ] || fail "wider than 80 columns"
says out "b four.layout: 4 stages (1f1b) of mesh data=2, model=2 each"
expect 0 diff "${gpt[@]}" none.layout four.layout --json
cp out diff.json
expect 0 cost "${gpt[@]}" --layout four.layout --json
cp out four.json
expect 0 cost "${gpt[@]}" --layout none.layout --json
/usr/bin/python3 - <<'P' || fail "diff is not what cost says of the stages"
import json
d, four, none = (json.load(open(f)) for f in ("diff.json", "four.json", "out"))
a, b = d["layouts"]
assert all(b[k] == four[k] for k in ("stages", "processors", "waiting")) and a["flops"] == none["flops"]
assert not d["same"] and b["processors"] == 16 and a["processors"] == 2
work = sum(l["flops"]["b"] - l["flops"]["a"] for l in d["lines"])
total = 4 * sum(s["flops_per_processor"] for s in four["stages"])
assert abs(work - (total - none["flops"]["total"])) < 1e-6 * total
sends = [c for c in d["collectives"] if c["kind"] == "send"]
assert all(c["axes"] == "stages" and c["cause"] == "pipeline" and c["bytes_sent"]["a"] == 0 for c in sends)
assert {c["phase"] for c in sends} == {"forward", "backward", "update"}
sent = sum(c["bytes_sent"]["b"] for c in sends)
assert sent > 0 and abs(sent - sum(s["sent_to_stages"] for s in four["stages"])) < 64  # whole bytes each
within = sum(c["bytes_sent"]["b"] for c in d["collectives"] if c["kind"] != "send")
assert within <= sum(s["sent_in_stage"] for s in four["stages"])
P
expect 0 diff "${gpt[@]}" four.layout four.layout
says out "they compute, send and hold the same"
# Chunks send three times over their boundary what two stages send once, and compute the same.
expect 0 diff "${gpt[@]}" two.layout chunks.layout --json
json out 'all(l["flops"]["a"] == l["flops"]["b"] for l in o["lines"]) and {c["kind"] for c in o["collectives"]} == {"send"}'
json out '[c["count"] for c in o["collectives"] if c["phase"] == "backward"] == [{"a": 4, "b": 12}]'
expect 0 diff "${gpt[@]}" two.layout --without batch:data --json
json out 'o["layouts"][0]["stages"][0]["sent_in_stage"] > 0 == o["layouts"][1]["stages"][0]["sent_in_stage"]'

# scale: over an axis of each stage, and over the stages; each point is what cost predicts.
layout one 'data=2, model=2' 'stages = 1'
for axis in data=1,2 stages=1,4; do
  expect 0 scale "${gpt[@]}" --layout four.layout --axis $axis --hardware h100 --json -o chart.svg
  cp out scale.json
  expect 0 cost "${gpt[@]}" --layout four.layout --hardware h100 --json
  /usr/bin/python3 - <<'P' || fail "points over $axis are not what cost predicts"
import json
s, c = json.load(open("scale.json")), json.load(open("out"))
first, last = s["points"]
assert last["step_seconds"] == c["step_seconds"] and last["processors"] == 16 and abs(last["mfu"] - c["mfu"]) < 1e-12
assert last["memory"] == max(p["memory"] for p in c["stages"]) and last["waiting_seconds"] > 0
assert first["processors"] * last["size"] == 16 * first["size"]
for p in s["points"]:
    parts = p["computation_seconds"] + p["communication_exposed_seconds"] + p["waiting_seconds"]
    assert abs(parts - p["step_seconds"]) < 1e-9 * p["step_seconds"] and p["computation_seconds"] > 0
assert s["axis"] == "data" or first["waiting_seconds"] == 0
P
done
layout listed 'data=2, model=2' 'stages = 2+1+1'
expect 0 cost "${gpt[@]}" --layout listed.layout --hardware h100 --json
cp out listed.json
expect 0 scale "${gpt[@]}" --layout listed.layout --axis stages=1,3 --hardware h100 --json
json out 'o["points"][1]["step_seconds"] == json.load(open("listed.json"))["step_seconds"]'
says chart.svg "stages that wait"
expect 0 scale "${gpt[@]}" --layout four.layout --axis stages=1..4 --hardware h100
says out "waiting"
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fail "wider than 80 columns"
expect 1 scale "${gpt[@]}" --layout four.layout --axis stages=4,8 --hardware h100
says err "is not a number from 1 to 4"
expect 2 scale "${gpt[@]}" --layout none.layout --axis stages=1..4 --hardware h100
says err 'the mesh has no axis `stages`'

# why: lines of all processors, and in which stages they are; each rule left out is what that layout costs.
expect 0 why "${gpt[@]}" --layout four.layout
says out "4 stages (1f1b) of mesh data=2, model=2 each, one training step, all processors"
grep -qE '^ +18 .* 0-3 +s = einsum' out || fail "no stages at a line of the layers"
grep -qE '^ +35 .* 3  logits' out || fail "the last line is in the last stage"
! grep -q 'cross\.' out || fail "what crosses is shown as if the model had it"
[ "$(tail -n +4 out | awk 'length > 80' | wc -l)" -eq 0 ] || fail "wider than 80 columns"
expect 0 why "${gpt[@]}" --layout four.layout --json
cp out why.json
expect 0 why "${gpt[@]}" --layout four.layout 17 --json
cp out line.json
grep -v pipeline none.layout | sed 's/batch:data ; //; s/model=1/model=2/' >less.layout
grep pipeline four.layout >>less.layout
expect 0 diff "${gpt[@]}" four.layout less.layout --json
/usr/bin/python3 - <<'P' || fail "lines of stages do not add up"
import json
w, line, d = (json.load(open(f)) for f in ("why.json", "line.json", "out"))
four, less = d["layouts"]
total = lambda side, what: 4 * sum(s[what] for s in side["stages"])
assert abs(sum(l["flops"] for l in w["lines"]) - total(four, "flops_per_processor")) < 1e-6 * total(four, "flops_per_processor")
assert sum(l["bytes_sent"] for l in w["lines"]) == total(four, "sent_in_stage")
at = {l["source"].split(":")[-1]: l["stages"] for l in w["lines"] if "gpt.mtf" in l["source"]}
assert at["17"] == [0, 1, 2, 3] and at["35"] == [3] and at["29"] == [0], at
assert line["stages"] == [0, 1, 2, 3] and line["collectives"]
without, = [c for c in line["changes"] if c["without"] == "batch:data"]
assert abs(without["flops"] - total(less, "flops_per_processor")) < 1e-6 * without["flops"]
assert without["memory"] == total(less, "memory") and without["removes"] == [1]
P

# cost --counters: all stages together count what one module does; --passes ends with what cost says.
expect 0 cost "${gpt[@]}" --layout two.layout --counters --passes
says out "on a processor of each stage together"
expect 0 cost "${gpt[@]}" --layout two.layout --counters --symbolic --json
cp out stages.json
expect 0 cost "${gpt[@]}" --layout none.layout --counters --symbolic --json
/usr/bin/python3 - <<'P' || fail "counters or formulas of stages"
import json
p, whole = json.load(open("stages.json")), json.load(open("out"))
a, b = p["counters"], whole["counters"]
for key in ("einsum", "einsum_unique", "variables/trainable", "variables/untrainable"):
    assert a[key] == b[key] > 0, (key, a[key], b[key])
assert len(p["formulas"]) == 2
for stage, formulas in zip(p["stages"], p["formulas"]):
    value = lambda key: formulas[key]["value"]
    assert abs(value("flops") - stage["flops_per_processor"]) < 1e-9 * stage["flops_per_processor"]
    assert abs(value("bytes_sent") - stage["sent_in_stage"]) <= 0.02 * stage["sent_in_stage"]
    roles = {m["role"]: m["bytes"]["value"] for m in formulas["memory"]}
    assert roles["parameters"] == 4 * stage["parameters"], roles
# The formulas of both stages give the parameters of the whole.
parameters = sum(m["bytes"]["value"] for f in p["formulas"] for m in f["memory"] if m["role"] == "parameters")
assert parameters == 4 * whole["parameters"]
P
expect 0 cost "${gpt[@]}" --layout four.layout --symbolic --leading
says out "stages 1-2"
grep -qE '^  work .*d_model' out || fail "no leading terms"
says out "memory with what crosses for one micro-batch in flight"
# Losses and metrics come in the order of the model, whichever stage has them first.
cat >order.mtf <<'M'
use "nn.mtf"
dim batch = 4, d = 8, layers = 2
input x[batch, d] from gaussian(seed=1)
param w[d] = 1
h = x * w
repeat layers { h = tanh(dense@lin(h over d -> d))  loss small = mean(square(h))  metric m = mean(h) }
metric last = mean(h)
metric early = mean(x)
loss late = mean(square(x * w))
train { optimizer = sgd(lr=0.1)  steps = 1  microbatches = 2 }
M
printf 'mesh data=2\nbatch:data\npipeline "layers.*" { stages = 2 }\n' >order.layout
expect 0 train order.mtf --layout order.layout --json
json out 'list(o["losses"]) == list(o["eval_losses"]) == ["layers.0.small", "layers.1.small", "late"]'
json out 'list(o["metrics"]) == ["layers.0.m", "layers.1.m", "last", "early"]'
# What an evaluation needs more stands within the width of the rest.
{ cat "$TREE/models/gpt.mtf" && echo "metric highest = max(logits)"; } >highest.mtf
expect 0 cost highest.mtf "${gpt[@]:1}" -D batch=64 --set train.microbatches=32 --layout two.layout --hardware h100
says out "    in an evaluation"
[ "$(grep "fits: " out | wc -L)" -le 80 ] || fail "a row of more than 80 columns"
done_testing
