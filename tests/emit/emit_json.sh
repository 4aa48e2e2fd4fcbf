#!/usr/bin/env bash
# The JSON of a model holds all that it takes to train it: a reader in NumPy, which knows nothing else, gets the losses
# of mtfc, on four processors, and on two stages of four.
set -eu
export PYTHONDONTWRITEBYTECODE=1  # nothing is left in the source tree
python=/usr/bin/python3
$python -c 'import numpy' 2>/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$TREE/tests/emit/from_json.mtf" "$work/model.mtf"
cp "$TREE/tests/emit/from_json_stages.mtf" "$work/stages.mtf"
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
assert len(ours) == 5 and len(numpy) == 5, (ours, numpy)
for a, b in zip(ours[:4], numpy):
    for key in ("step", "loss", "lr", "grad_norm"):
        assert close(a[key], b[key]), (key, a, b)
assert ours[0]["loss"] - ours[3]["loss"] > 0.05, "nothing was learned"
e = numpy[4]["evaluation"]
assert close(ours[4]["eval_loss"], e["loss"]) and close(ours[4]["metrics"]["right"], e["right"]), (ours[4], e)
# What is packed was read as such.
program = json.load(open("emitted/program.json"))
packed = {at["kind"] for p in program["programs"] for at in p["instructions"] if len(at["operands"]) > 1}
assert sys.argv[1] != "attention" or "tiled" in packed, packed
assert sys.argv[1] != "stages" or len({p["stage"] for p in program["pipeline"]["parts"]}) == 2
assert sys.argv[1] != "sharded" or {"reduce_scatter", "all_gather"} <= packed, packed
P
# judge NAME ARGS...: a model, and how it is trained.
judge() {
  local name=$1
  shift
  "$MTFC" train "$@" --log log.jsonl >out 2>&1 || { cat out; exit 1; }
  "$MTFC" emit "$@" --backend json -o emitted --force >out 2>&1 || { cat out; exit 1; }
  (cd / && $python "$TREE/tests/emit/from_json.py" "$work/emitted/program.json") >numpy.jsonl
  $python compare.py "$name"
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
