#!/usr/bin/env bash
# The JSON of a model holds all that it takes to train it: a reader in NumPy, which knows nothing else, gets the losses
# of mtfc, on four processors.
set -eu
python=/usr/bin/python3
$python -c 'import numpy' 2>/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$TREE/tests/emit/from_json.mtf" "$work/model.mtf"
cd "$work"
$python - <<'P'
import numpy as np
random = np.random.default_rng(1)
np.save("x.npy", random.integers(0, 8, (32, 3)).astype(np.int32))
np.save("label.npy", random.integers(0, 4, 32).astype(np.int32))
draw = lambda *shape: random.normal(0, 0.5, shape).astype(np.float32)
np.savez("start.npz", table=draw(8, 4), up=draw(4, 6), bias=draw(6), down=draw(6, 4))
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
train = next(p for p in json.load(open("emitted/program.json"))["programs"] if p["name"] == "train")
packed = {at["kind"] for at in train["instructions"] if len(at["operands"]) > 1}
assert sys.argv[1] != "sharded" or {"reduce_scatter", "all_gather"} <= packed, packed
P
for update in replicated sharded; do
  layout=(--mesh "rows:2;cols:2" --rules "batch:rows;word:cols;hidden:cols" --set "train.update=$update")
  "$MTFC" train model.mtf "${layout[@]}" --log log.jsonl >out 2>&1 || { cat out; exit 1; }
  "$MTFC" emit model.mtf "${layout[@]}" --backend json -o emitted >out 2>&1 || { cat out; exit 1; }
  (cd / && $python "$TREE/tests/emit/from_json.py" "$work/emitted/program.json") >numpy.jsonl
  $python compare.py $update
done
