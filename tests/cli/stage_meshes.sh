# Stages of a pipeline with meshes of their own: losses of the GPT are those of one processor; what `check` and `cost`
# say; what is refused.
. "$(dirname "$0")/lib.sh"
tr -d '\r' <"$TREE/models/data/stories.txt" | head -c 4000 >text
gpt=("$TREE/models/gpt.mtf" --set "data.text=$scratch/text" -D layers=4 -D batch=8 -D length=8 -D d_model=16
  -D heads=2 -D d_ff=32 -D vocab=80 --set train.microbatches=4)
rules='batch:data ; heads:model ; d_ff:model ; vocab?:model'
# layout NAME MESH PIPELINE
layout() { printf 'mesh %s\n%s\npipeline "layers.*" { %s }\n' "$2" "$rules" "$3" >"$1.layout"; }
layout tensor_then_data 'data=1, model=2' 'stages = 2; data = 1+2; model = 2+1'
layout three 'data=2, model=2' 'stages = 1+2+1; schedule = gpipe; data = 2+1+2; model = 2+2+1'
layout uneven 'data=2, model=3' 'stages = 2; data = 2+1; model = 3+2'
layout chunks 'data=2, model=1' 'stages = 2; chunks = 2; data = 2+1'
printf 'param "**" { d_model:data }\nset update=sharded\n' | cat three.layout - >kept.layout
printf 'set gather=step\n' | cat kept.layout - >step.layout

steps=6
! nightly || steps=20
same() {  # NAME: the losses of one processor
  /usr/bin/python3 - one.log "$1.log" $steps <<'P' || fail "$1 has other losses than one processor"
import json, sys
losses = lambda path: [x["loss"] for x in map(json.loads, open(path)) if "loss" in x]
a, b = map(losses, sys.argv[1:3])
sys.exit(not (len(a) == len(b) == int(sys.argv[3]) and all(abs(x - y) <= 1e-5 * abs(x) for x, y in zip(a, b))))
P
}
train=(train "${gpt[@]}" --steps $steps --set train.clip=0.1)
expect 0 "${train[@]}" --log one.log -o one
for name in tensor_then_data three uneven chunks kept step; do
  expect 0 "${train[@]}" --layout $name.layout --log $name.log -o $name --replicas all
  same $name
done
says err 'on 3 stages (gpipe) of meshes data=2+1+2, model=2+2+1, '$steps' steps'

# Checkpoints know no stages; evaluations go through them, generation takes the mesh of the first.
expect 0 train --resume three --steps $((steps + 2)) --rules '[]' --mesh a:1 --log after.log
expect 0 eval --checkpoint one --layout three.layout
says err 'of meshes data=2+1+2, model=2+2+1'
expect 0 generate --checkpoint one --layout uneven.layout --tokens 4 --temperature 0
says err 'computed without stages, on the mesh of one of them'

expect 0 check "${gpt[@]}" --layout three.layout --json
json out 'o["layouts"][0]["processors"] == 8 and o["layouts"][0]["mesh"] == {"data": 2, "model": 2}'
json out 'o["layouts"][0]["stage_meshes"][1] == {"data": 1, "model": 2}'
expect 0 check "${gpt[@]}" --layout three.layout
says out 'data=2+1+2, model=2+2+1'
# Heads are padded to what three processors of one stage and two of the other divide.
expect 0 check "${gpt[@]}" --layout uneven.layout
says err '`heads` (2) is padded to 6 for 3+2 shards over `model`'

# Figures are those of a pipeline all of whose stages have that mesh.
layout first 'data=1, model=2' 'stages = 2'
layout second 'data=2, model=1' 'stages = 2'
for name in first second tensor_then_data; do
  expect 0 cost "${gpt[@]}" --layout $name.layout --hardware h100 --json
  cp out $name.json
done
/usr/bin/python3 - <<'P' || fail "a stage does not cost what it costs on its mesh"
import json
first, second, both = (json.load(open(f"{n}.json")) for n in ("first", "second", "tensor_then_data"))
assert both["processors"] == 4 and both["step_seconds"] > 0
for stage, alike in ((0, first), (1, second)):
    a, b = both["stages"][stage], alike["stages"][stage]
    for figure in ("forward_flops", "backward_flops", "parameters", "processors", "sent_to_stages"):
        assert a[figure] == b[figure], (stage, figure, a, b)
    assert abs(a["memory"] / b["memory"] - 1) < 0.1, (stage, a, b)
assert min(first["step_seconds"], second["step_seconds"]) * 0.5 < both["step_seconds"]
P
# Each stage lies on the machine as its own mesh does: the first fills a node, the two others share one.
machine() {  # SIZE NODES
  printf 'hardware m { chip flops=10TF mem=4GB hbm=1TB/s\nlink node switch size=%s bw=100GB/s lat=1us\nlink net switch size=%s bw=100MB/s lat=1ms }\n' "$@"
}
placed() {  # NAME SIZE NODES
  { cat three.layout; machine "$2" "$3"; } >placed.layout
  expect 0 cost "${gpt[@]}" --layout placed.layout --json
  cp out "$1.json"
}
placed one_node 8 1
json out '[s["begins"] for s in o["stages"]] == ["net 0, node 0", "net 0, node 4", "net 0, node 6"]'
placed nodes 4 2
json out '[s["begins"] for s in o["stages"]] == ["net 0, node 0", "net 1, node 0", "net 1, node 2"]'
placed halves 2 4
json out '[s["begins"] for s in o["stages"]] == ["net 0, node 0", "net 2, node 0", "net 3, node 0"]'
/usr/bin/python3 - <<'P' || fail "where stages lie changes nothing"
import json
one, nodes, halves = (json.load(open(f"{n}.json"))["step_seconds"] for n in ("one_node", "nodes", "halves"))
# Messages of the first stage take a millisecond; in half nodes what it sums up does, too.
assert one < 0.001 and 0.002 < nodes < 0.02 and halves > nodes + 0.005, (one, nodes, halves)
P
expect 0 cost "${gpt[@]}" --layout placed.layout
says out 'stage 1: node (switch, 2): model=2'
{ cat three.layout; machine 4 1; } >placed.layout
expect 1 cost "${gpt[@]}" --layout placed.layout
says err 'of stages of meshes data=2+1+2, model=2+2+1 does not fit'
expect 0 cost "${gpt[@]}" --layout three.layout
says out 'on 3 stages (gpipe) of meshes data=2+1+2, model=2+2+1, one training step of'
expect 0 trace "${gpt[@]}" --layout three.layout --hardware h100 -o t.json
expect 0 draw "${gpt[@]}" --layout three.layout -o p.svg

# The sizes of an axis are those of the first stage; the others grow as it does.
expect 0 scale "${gpt[@]}" --layout three.layout --hardware h100 --axis data=2..4 --json
json out '[p["processors"] for p in o["points"]] == [8, 16]'
expect 0 scale "${gpt[@]}" --layout three.layout --hardware h100 --axis model=2,4 --json
json out '[p["processors"] for p in o["points"]] == [8, 16]'
expect 2 scale "${gpt[@]}" --layout three.layout --hardware h100 --axis data=1..2
says err 'stages cannot have meshes in proportion to `data=1`'
expect 0 scale "${gpt[@]}" --layout three.layout --hardware h100 --axis stages=3
expect 1 scale "${gpt[@]}" --layout three.layout --hardware h100 --axis stages=2
says err '`data` has 3 sizes, the pipeline 2 stages'

bad() {  # CODE WORDS MESH PIPELINE
  layout bad "$3" "$4"
  expect 1 check "${gpt[@]}" --layout bad.layout
  says err "$1"
  says err "$2"
}
bad E408 '`data` has 3 sizes, the pipeline 2 stages' 'data=2, model=1' 'stages = 2; data = 2+1+2'
bad E408 'the first stage has `data=4`, the mesh `data=2`' 'data=2, model=1' 'stages = 2; data = 4+2'
bad E408 '`0` is not a valid size of mesh axis `data`' 'data=2, model=1' 'stages = 2; data = 2+0'
bad E408 'is not a valid size of mesh axis `data`' 'data=2, model=1' 'stages = 2; data = 2+99999999999999999999'
bad E408 'too large together' 'data=2, model=1' 'stages = 2; data = 2+2147483647; model = 1+2147483647'
bad E408 'did you mean `data`' 'data=2, model=1' 'stages = 2; date = 2+1'
bad E408 'given twice' 'data=2, model=1' 'stages = 2; data = 2+1; data = 2+2'
rules='batch:data ; heads!:model'
bad E401 'in stage 1, whose mesh is data=2, model=4' 'data=2, model=2' 'stages = 2; model = 2+4'
# What is emitted for other tools has each stage with its mesh (tests/emit/emit_json.sh runs such programs).
expect 0 emit "${gpt[@]}" --layout three.layout --backend json
/usr/bin/python3 - <<'P' || fail "the JSON does not have each stage with its mesh"
import json
o = json.load(open("out"))
assert [s["mesh"]["processors"] for s in o["stages"]] == [4, 2, 2] and not {"mesh", "programs"} & set(o)
P
# Stages go through the passes together until their graphs are cut, then each alone.
expect 0 train "${gpt[@]}" --layout three.layout --steps 1 --log once.log
expect 0 train "${gpt[@]}" --layout three.layout --steps 1 --verify-passes
expect 0 cost "${gpt[@]}" --layout three.layout --passes --json
json out 'o["passes"][1]["pass"] == "lower" and o["passes"][-1]["bytes_sent_per_processor"] == sum(
  stage["sent_in_stage"] for stage in o["stages"])'
expect 0 train "${gpt[@]}" --layout three.layout --dump-after lower
says out '# stage 2'
[ "$(grep -c '^state after lower' out)" = 3 ] || fail "not three states"
cp out lower.dump
expect 2 train "${gpt[@]}" --layout three.layout --start-from lower.dump
says err 'is of a pass that stages go through apart'
expect 2 train "${gpt[@]}" --layout three.layout --start-from three.layout
says err 'is not a dump of --dump-after'
expect 0 train "${gpt[@]}" --layout three.layout --steps 1 --dump-after prepare-parameters
cp out prepared.dump
expect 0 train "${gpt[@]}" --layout three.layout --start-from prepared.dump --steps 1 --log from.log
cmp <(grep -o '"loss":[^,]*' once.log) <(grep -o '"loss":[^,]*' from.log) || fail "another loss"
# What compares knows them.
expect 0 verify "${gpt[@]}" --layout three.layout
expect 0 why "${gpt[@]}" --layout three.layout
expect 0 diff "${gpt[@]}" --layout first.layout --layout tensor_then_data.layout
expect 0 cost "${gpt[@]}" --layout three.layout --symbolic --json
# A profile counts each stage on its mesh: the products are those of one processor.
flops() { json out 'o["profile"]["steps"] == 2'; /usr/bin/python3 -c 'import json
print(sum(r["flops"] for r in json.load(open("out"))["profile"]["rows"] if r["instruction"] in ("contract", "add_product") and r["phase"] != "update"))'; }
expect 0 train "${gpt[@]}" --steps 2 --profile t.json --json
one=$(flops)
expect 0 train "${gpt[@]}" --steps 2 --layout three.layout --profile t.json --json
[ "$one" = "$(flops)" ] || fail "a profile of stages counts $(flops) FLOPs of products, of one processor $one"

# Each stage gathers once a step on its own mesh.
printf 'param "**" { d_model:data }\nset gather=step\n' | cat three.layout - >step.layout
expect 0 verify "${gpt[@]}" --layout step.layout
done_testing
