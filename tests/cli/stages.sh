# Commands that once refused a pipeline: what each says of its stages.
. "$(dirname "$0")/lib.sh"
tr -d '\r' <"$TREE/models/data/stories.txt" | head -c 20000 >text
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
done_testing
