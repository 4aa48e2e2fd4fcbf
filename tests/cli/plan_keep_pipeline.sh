# `plan --keep` of a layout with a pipeline: the best of what goes with it, against `cost` of each number of micro-batches; meshes of its own.
. "$(dirname "$0")/lib.sh"
write_chain
write_slow_machine
# kept TEXT...: a layout to keep, of these lines.
kept() { { cat slow.layout; printf '%s\n' "$@"; } >kept.layout; }

# Two stages of one processor: nothing but micro-batches is left to find.
kept 'pipeline "layers.*" { stages = 2+1; schedule = gpipe }'
expect 0 plan chain.mtf --keep kept.layout --processors 2 --json -o best.layout
json out 'o["proved"] and o["best"]["stages"] == 2 and all(p["stages"] == 2 for p in o["predicted"])'
json out 'o["best"]["rules"] == "" and o["space"]["meshes"] == []'
cp out plan.json
for m in 2 4 8 16 32 64; do
  expect 0 cost chain.mtf --set train.microbatches=$m --layout kept.layout --json
  cp out cost.$m
done
/usr/bin/python3 -c 'import json
plan = json.load(open("plan.json"))
steps = {m: json.load(open(f"cost.{m}"))["step_seconds"] for m in (2, 4, 8, 16, 32, 64)}
best = min(steps, key=steps.get)
assert (plan["best"]["microbatches"], plan["best"]["step_seconds"]) == (best, steps[best]), (plan["best"], steps)' ||
  fail "not the best number of micro-batches"
[ "$(grep -c pipeline best.layout)" -eq 1 ] || fail "the pipeline is written $(grep -c pipeline best.layout) times"
m=$(/usr/bin/python3 -c 'import json; print(json.load(open("plan.json"))["best"]["microbatches"])')
expect 0 train chain.mtf -D d=16 --set train.microbatches="$m" --steps 2 --layout best.layout

# Four processors: rules and ways to keep and update parameters; none of some layouts by hand is faster.
kept 'pipeline "layers.*" { stages = 2; schedule = interleaved; chunks = 1 }'
expect 1 plan chain.mtf --keep kept.layout --processors 4
says err 'E408'
kept 'pipeline "layers.*" { stages = 2 }'
expect 0 plan chain.mtf --keep kept.layout --processors 4 -D batch=1024 -D d=2048
says out 'space: 1 mesh of the stages that are kept; rules for'
says out '2 stages of mesh all=2 each'
expect 0 plan chain.mtf --keep kept.layout --processors 4 -D batch=1024 -D d=2048 --json -o best.layout
cp out plan.json
for rules in "" "batch:all" "d:all" "batch:all;set update=sharded"; do
  for m in 4 8 16; do
    { cat kept.layout; printf 'mesh all=2\n%s\n' "$rules"; } >hand.layout
    expect 0 cost chain.mtf -D batch=1024 -D d=2048 --set train.microbatches=$m --layout hand.layout --json
    /usr/bin/python3 -c 'import json
assert json.load(open("plan.json"))["best"]["step_seconds"] <= json.load(open("out"))["step_seconds"] * (1 + 1e-9)' ||
      fail "$rules with $m micro-batches is faster"
  done
done
m=$(/usr/bin/python3 -c 'import json; print(json.load(open("plan.json"))["best"]["microbatches"])')
expect 0 cost chain.mtf -D batch=1024 -D d=2048 --set train.microbatches="$m" --layout best.layout --json
/usr/bin/python3 -c 'import json
best, cost = json.load(open("plan.json"))["best"], json.load(open("out"))
assert best["step_seconds"] == cost["step_seconds"] and best["memory"] == cost["run_memory"]["per_processor"]' ||
  fail "the layout costs something else"

# Stages of different meshes, and a rule that is kept.
kept 'mesh data=2, model=1' 'batch:data' 'pipeline "layers.*" { stages = 2; data = 2+1; model = 1+2 }'
expect 0 plan chain.mtf --keep kept.layout -o best.layout -D batch=1024 -D d=2048
says out '2 stages of meshes data=2+1, model=1+2'
says best.layout 'batch:data'
expect 0 cost chain.mtf -D batch=1024 -D d=2048 --set train.microbatches=8 --layout best.layout

# A machine whose links name axes has one for the stages.
cat >axes.layout <<'L'
mesh data=2
batch:data
pipeline "layers.*" { stages = 2 }
hardware axes { chip flops=1TF mem=8GB hbm=1TB/s
  link stages switch bw=1GB/s lat=1us
  link data switch bw=10GB/s lat=1us }
L
expect 0 cost chain.mtf --set train.microbatches=4 --layout axes.layout
says out "stages (switch, 2): stages=2"
expect 0 plan chain.mtf --keep axes.layout --time 10 --json
json out 'o["best"] and o["best"]["stages"] == 2'
# Pipelines that fit are tried computed again in part, too.
json out 'any("set recompute=selective" in p["rules"] and p["fits"] for p in o["predicted"])'

# Chunks that no equal numbers of blocks fill: nothing that was excluded is faster than its bound.
kept 'pipeline "layers.*" { stages = 2; chunks = 2 }'
expect 0 plan chain.mtf --keep kept.layout --processors 2 -D layers=9 --set train.microbatches=4 --json
cp out plan.json
expect 0 cost chain.mtf --layout kept.layout -D layers=9 --set train.microbatches=4 --json
/usr/bin/python3 -c 'import json
plan, step = json.load(open("plan.json")), json.load(open("out"))["step_seconds"]
assert plan["best"]["step_seconds"] == step == plan["bound_seconds"], (plan["best"], step)
assert all(e["bound_seconds"] <= step * (1 + 1e-9) for e in plan["excluded"] if e["rules"] == ""), plan["excluded"]' ||
  fail "a bound of chunks is too high"

# What does not go together.
kept 'mesh all=2' 'pipeline "layers.*" { stages = 2 }' 'set recompute=scores'
expect 1 plan chain.mtf --keep kept.layout
says err 'E312'
kept 'mesh all=2' 'batch:all' 'pipeline "layers.*" { stages = 2 }'
expect 5 plan chain.mtf --keep kept.layout --memory 2MB
says out 'the 4 processors'
kept 'mesh data=2, model=1' 'batch:data' 'pipeline "layers.*" { stages = 2; data = 2+1; model = 1+2 }'
expect 2 plan chain.mtf --keep kept.layout --processors 8
says err 'the stages that are kept have 4 processors, --processors says 8'
kept 'pipeline "layers.*" { stages = 3 }'
expect 2 plan chain.mtf --keep kept.layout --processors 8
says err 'the 3 stages that are kept do not divide 8 processors'
expect 2 plan chain.mtf --keep kept.layout --processors 6 --stages 4
says err 'the pipeline that is kept has 3 stages, --stages is of those that are looked for'
expect 2 plan chain.mtf --keep kept.layout --processors 6 --submeshes
says err 'there are no pipelines for `--submeshes` to look at'
says err 'the pipeline that is kept has its stages: leave it out'
kept 'pipeline "layers.*" { stages = 1 }'
expect 0 plan chain.mtf --keep kept.layout --processors 2
says out '1 stage of mesh all=2'
says out '; 2 to 64 micro-batches'
kept 'pipeline "layers.*" { stages = 3 }'
expect 1 plan chain.mtf --keep kept.layout --processors 3 --set train.microbatches=1
says err 'a pipeline needs micro-batches'
kept 'pipeline "layer.*" { stages = 3 }'
expect 1 plan chain.mtf --keep kept.layout --processors 3
says err 'did you mean'
kept 'pipeline "layers.*" { stages = 3 }'
expect 5 plan chain.mtf --keep kept.layout --processors 3 --memory 1MB
says out 'do not go together'
says out 'with 3 stages of one processor each'
done_testing
