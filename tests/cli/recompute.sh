# `set recompute`: the losses of the plain step, less memory for more work; with micro-batches, pipelines and dumps; what is refused.
. "$(dirname "$0")/lib.sh"
tr -d '\r' <"$TREE/models/data/stories.txt" | head -c 8000 >text
gpt=("$TREE/models/gpt.mtf" --set "data.text=$scratch/text" -D layers=2 -D batch=8 -D length=16 -D d_model=32 -D heads=2 -D vocab=80)
train=(train "${gpt[@]}" --steps 5)

# layout NAME WORD: on 2 x 2 processors.
layout() { printf 'mesh data=2, model=2\nbatch:data ; heads:model ; d_ff:model\nset recompute=%s\n' "$2" >"$1.layout"; }
for word in none scores selective full; do layout $word $word; done

# same A B: the same losses but for rounding.
same() {
  /usr/bin/python3 - "$@" <<'P' || fail "$1 differs from $2"
import json, sys
losses = lambda path: [x["loss"] for x in map(json.loads, open(path)) if "loss" in x]
a, b = losses(sys.argv[1]), losses(sys.argv[2])
sys.exit(not (len(a) == len(b) >= 5 and all(abs(x - y) <= 1e-5 * abs(x) for x, y in zip(a, b))))
P
}
for word in selective:1 full:1 full:9; do layout $word $word; done
for micro in 1 2; do
  for word in none scores selective full full:1; do
    expect 0 "${train[@]}" --set train.microbatches=$micro --layout $word.layout --log $word.log
    same none.log $word.log
  done
done
expect 0 "${train[@]}" -D layers=4 --set train.microbatches=2 --layout none.layout --log four.log
for word in none full selective full:1; do
  printf 'pipeline "layers.*" { stages = 2 }\n' | cat $word.layout - >stages.layout
  expect 0 "${train[@]}" -D layers=4 --set train.microbatches=2 --layout stages.layout --log stages.log
  same four.log stages.log
done

# Scores that a stage would hold for each micro-batch are made again.
long=("$TREE/models/gpt.mtf" --set "data.text=$scratch/text" -D layers=2 -D batch=4 -D length=512 -D d_model=16 -D heads=4 -D vocab=80 --set train.microbatches=4)
for word in tiled stored; do
  printf 'mesh data=1\npipeline "layers.*" { stages = 2 }\nset attention=%s\n' $word >$word.layout
  expect 0 train "${long[@]}" --steps 5 --layout $word.layout --log $word.log
  expect 0 cost "${long[@]}" --layout $word.layout --json
  cp out $word-stages.json
done
same tiled.log stored.log
expect 0 cost "${long[@]}" --rules "" --json
/usr/bin/python3 - <<'P' || fail "stages hold scores"
import json
tiled, stored, alone = (json.load(open(f)) for f in ("tiled-stages.json", "stored-stages.json", "out"))
most = lambda cost: max(stage["memory"] for stage in cost["stages"])
assert 2 * most(tiled) < most(stored) and most(tiled) < 2 * alone["memory"]["per_processor"], (most(tiled), most(stored), alone["memory"])
P

# What is written in the model does what the layout does.
sed 's/^  x = x + attention/  recompute { x = x + attention/; s/^\(  x = x + mlp.*\)$/\1 }/' "$TREE/models/gpt.mtf" >written.mtf
# Beside scores in memory, which tiles leave out without being asked for.
for word in none scores selective full full:1 full:9; do printf 'set attention=stored\n' | cat $word.layout - >stored-$word.layout; done
wide=(-D batch=8 -D length=512 -D d_model=128 --set train.precision=bf16 --json)
sed 's/^set recompute.*//' stored-none.layout >plain.layout
expect 0 cost written.mtf "${wide[@]}" --layout plain.layout
cp out written.json
for word in none scores selective full full:1 full:9; do
  expect 0 cost "$TREE/models/gpt.mtf" "${wide[@]}" --layout stored-$word.layout
  cp out $word.json
done
expect 0 cost "$TREE/models/gpt.mtf" "${wide[@]}" --layout none.layout
cp out tiled.json
/usr/bin/python3 - <<'P' || fail "memory or work of recompute"
import json
memory = {}
work = {}
for word in ["none", "scores", "selective", "full", "full:1", "full:9", "written", "tiled"]:
    found = json.load(open(f"{word}.json"))
    memory[word] = found["memory"]["per_processor"]
    work[word] = found["flops"]["per_processor"]
assert memory["full"] < memory["selective"] < memory["none"], memory
assert memory["full"] < memory["scores"] < 0.8 * memory["none"], memory
assert memory["tiled"] < memory["full"] and work["tiled"] < work["scores"], (memory, work)
assert work["none"] < min(work["scores"], work["selective"]), work  # scores: and rounding
assert max(work["scores"], work["selective"]) < work["full"], work
assert 4 * work["full:1"] == 3 * work["none"] + work["full"], work  # one of four layers
assert memory["full"] < memory["full:1"] < memory["none"], memory
assert (work["full:9"], memory["full:9"]) == (work["full"], memory["full"]), (work, memory)  # there are four
assert work["full"] == work["written"] and memory["full"] == memory["written"], (work, memory)
P

# Dumps behind it are gone on from.
expect 0 "${train[@]}" --layout full.layout --dump-after differentiate-step
cp out step.dump
expect 0 "${train[@]}" --layout full.layout --start-from step.dump

# The number of iterations is kept in dumps of what comes before.
expect 0 "${train[@]}" --layout full:1.layout --dump-after split-batch
cp out before.dump
expect 0 "${train[@]}" --layout full:1.layout --dump-after differentiate-step
cp out after.dump
expect 0 "${train[@]}" --layout full:1.layout --start-from before.dump --dump-after differentiate-step
cmp out after.dump || fail "a dump forgets in how many iterations is computed again"

for word in full:0 full:x full:99999999999 none:1 full:; do
  layout wrong $word
  expect 1 check "${gpt[@]}" --layout wrong.layout
done
layout wrong full:0
expect 1 check "${gpt[@]}" --layout wrong.layout
says err '`full:2`'
layout wrong always
expect 1 check "${gpt[@]}" --layout wrong.layout
says err '`recompute` is `none` or `scores` or `selective` or `full`, not `always`'
printf 'pipeline "layers.*" { stages = 2 }\n' | cat scores.layout - >wrong.layout
expect 1 check "${gpt[@]}" --set train.microbatches=2 --layout wrong.layout
says err "of their own"
expect 1 check written.mtf --layout full.layout
says err "of a model that says itself what is computed again"
expect 0 check written.mtf --layout none.layout

# A plan tries it where a layout does not fit, and names it.
# Sizes are such that few dimensions can be split.
short=("$TREE/models/gpt.mtf" -D layers=4 -D batch=16 -D length=255 -D d_model=128 -D heads=1 -D d_ff=513 --hardware h100
  --set train.microbatches=1)
printf 'mesh all=2\nbatch:all\nset attention=stored\n' >stored.layout
stored=(--keep stored.layout)
expect 0 plan "${short[@]}" "${stored[@]}" --json
json out 'o["space"]["recompute"] and not any("recompute" in p["rules"] for p in o["predicted"] if p["fits"])'
least=$(/usr/bin/python3 -c 'import json; print(min(p["memory"] for p in json.load(open("out"))["predicted"] if "recompute" not in p["rules"]))')
expect 0 plan "${short[@]}" "${stored[@]}" --memory "$(/usr/bin/python3 -c "print(f'{$least * 0.9 / 1e6:.3f}MB')")" --json -o small.layout
json out '"set recompute=" in o["best"]["rules"] and o["best"]["fits"] and o["space"]["recompute_iterations"] == 4'
cp out plan.json
expect 0 cost "${short[@]:0:13}" --hardware h100 --set train.microbatches=1 --layout small.layout --json
/usr/bin/python3 -c 'import json
best, cost = json.load(open("plan.json"))["best"], json.load(open("out"))
assert (best["step_seconds"], best["memory"]) == (cost["step_seconds"], cost["memory"]["per_processor"])' ||
  fail "what is computed again costs something else"
expect 0 plan written.mtf "${short[@]:1}" "${stored[@]}" --json
json out 'not o["space"]["recompute"]'
done_testing
