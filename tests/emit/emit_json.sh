#!/usr/bin/env bash
# The JSON of a model holds all that it takes to train it: a reader in NumPy, which knows nothing else, gets the losses
# of mtfc, on four processors, on two stages of four, and on stages of different meshes.
set -eu
export PYTHONDONTWRITEBYTECODE=1  # nothing is left in the source tree
python=/usr/bin/python3
$python -c 'import numpy' 2>/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$TREE/tests/emit/from_json.mtf" "$work/model.mtf"
cp "$TREE/tests/emit/from_json_stages.mtf" "$work/stages.mtf"
cp "$TREE/tests/emit/from_json_tied.mtf" "$work/tied.mtf"
cp "$TREE/tests/emit/from_json_attention.mtf" "$work/attention.mtf"
cp "$TREE/tests/emit/from_json_samples.mtf" "$work/samples.mtf"
cd "$work"
$python - <<'P'
import numpy as np
random = np.random.default_rng(1)
np.save("x.npy", random.integers(0, 8, (32, 3)).astype(np.int32))
np.save("long.npy", random.integers(0, 8, (32, 288)).astype(np.int32))
np.save("label.npy", random.integers(0, 4, 32).astype(np.int32))
for name in "x", "label":
    rows = np.load(f"{name}.npy")
    rows[:16] = rows[0]
    np.save(f"same_{name}.npy", rows)
draw = lambda *shape: random.normal(0, 0.5, shape).astype(np.float32)
layers = {f"layers.{i}.mlp.{w}": draw(*s) for i in range(4) for w, s in (("up", (4, 6)), ("down", (6, 4)))}
layers |= {w: draw(4, 2, 4) for w in ("wq", "wk", "wv")}
np.savez("start.npz", table=draw(8, 4), up=draw(4, 6), bias=draw(6), down=draw(6, 4), out=draw(4, 4), **layers)
P
cat >compare.py <<'P'
import json, sys
read = lambda name: [json.loads(line) for line in open(name)]
ours, numpy = read("log.jsonl"), read("numpy.jsonl")
close = lambda a, b: abs(a - b) <= 1e-5 * max(1, abs(a))
program = json.load(open("emitted/program.json"))
steps = program["schedule"]["steps"]
assert len(ours) == steps + 1 and len(numpy) == steps + 1, (ours, numpy)
for a, b in zip(ours[:steps], numpy):
    for key in ("step", "loss", "lr", "grad_norm"):
        assert close(a[key], b[key]), (key, a, b)
assert ours[0]["loss"] - ours[steps - 1]["loss"] > 0.05, "nothing was learned"
last, e = ours[steps], numpy[steps]["evaluation"]
assert close(last["eval_loss"], e["loss"]) and close(last["metrics"]["right"], e["right"]), (last, e)
# Stages of different meshes have each what else there is once.
meshes = [[a["size"] for a in s["mesh"]["axes"]] for s in program.get("stages", [])]
assert sys.argv[2:] == ["x".join(map(str, sizes)) for sizes in meshes], meshes
assert ("programs" in program) == (not meshes) and steps == (10 if meshes else 4)
# What is packed was read as such.
programs = [p for own in program.get("stages", [program]) for p in own["programs"]]
packed = {at["kind"] for p in programs for at in p["instructions"] if len(at["operands"]) > 1}
assert sys.argv[1] != "attention" or "tiled" in packed, packed
stages = {part["stage"] for part in program.get("pipeline", {"parts": []})["parts"]}
assert len(stages) == (len(meshes) or 2 * (sys.argv[1] == "stages"))
assert sys.argv[1] != "sharded" or {"reduce_scatter", "all_gather"} <= packed, packed
P
# judge NAME ARGS...: a model, and how it is trained. NAME: one word, and the meshes of its stages if these differ.
judge() {
  local name=$1
  shift
  "$MTFC" train "$@" --log log.jsonl >out 2>&1 || { cat out; exit 1; }
  "$MTFC" emit "$@" --backend json -o emitted --force >out 2>&1 || { cat out; exit 1; }
  (cd / && $python "$TREE/tests/emit/from_json.py" "$work/emitted/program.json") >numpy.jsonl
  $python compare.py $name
}
for update in replicated sharded; do
  judge $update model.mtf --mesh "rows:2;cols:2" --rules "batch:rows;word:cols;hidden:cols" --set "train.update=$update"
done
# Attention whose scores are in tiles.
judge attention attention.mtf --mesh "rows:2;cols:2" --rules "batch:rows;heads:cols"
# Random samples: on shards with padding, in micro-batches, by their numbers in the whole.
for more in "" "--set train.microbatches=4"; do
  judge samples samples.mtf --mesh "rows:2;cols:2" --rules "batch:rows;hidden:cols" $more
done
# Stages: their parts in the order of the schedule, with what crosses between them handed over by micro-batch.
for pipeline in 'stages = 2' 'stages = 2; chunks = 2'; do
  printf 'mesh rows=2, cols=2\nbatch:rows\nword:cols\nhidden:cols\npipeline "layers.*" { %s }\n' "$pipeline" >stages.layout
  judge stages stages.mtf --layout stages.layout
done
# Stages of different meshes: each has its own dimensions, variables and programs, and what crosses is put together from
# the shards of one and cut into those of another. With three processors micro-batches of four examples have padding.
unlike() {  # MODEL MESHES PIPELINE [MORE]
  printf 'mesh rows=%s, cols=%s\nbatch:rows\nword:cols\nhidden:cols\npipeline "layers.*" { %s }\n%s\n' \
    "${2%%x*}" "$(cut -dx -f2 <<<"${2%% *}")" "$3" "${4:-}" >unlike.layout
  judge "$1 $2" "$1.mtf" --layout unlike.layout --set train.steps=10
}
unlike stages "1x1 2x1" 'stages = 2; rows = 1+2'
unlike stages "2x1 4x1" 'stages = 2; rows = 2+4; schedule = gpipe'
unlike stages "2x2 1x4" 'stages = 2; rows = 2+1; cols = 2+4'
unlike stages "2x2 3x1" 'stages = 2; rows = 2+3; cols = 2+1'
unlike stages "2x1 1x2 4x1" 'stages = 1+2+1; rows = 2+1+4; cols = 1+2+1'
unlike stages "1x2 2x1" 'stages = 2; chunks = 2; rows = 1+2; cols = 2+1'
unlike tied "1x2 2x2" 'stages = 2; rows = 1+2; cols = 2+2'
unlike tied "1x2 2x1 3x1" 'stages = 1+2+1; rows = 1+2+3; cols = 2+1+1'
unlike tied "2x1 1x2" 'stages = 2; chunks = 2; rows = 2+1; cols = 1+2'
for gather in again step; do
  kept=$(printf 'param "**" { d:rows }\nset update=sharded\nset gather=%s' "$gather")
  unlike tied "2x1 4x2" 'stages = 2; rows = 2+4; cols = 1+2' "$kept"
done
