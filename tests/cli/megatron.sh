#!/usr/bin/env bash
# A Transformer layer with heads and d_ff split sums twice forward and twice backward, as Megatron-LM
# arranges it by hand (Shoeybi et al., arXiv 1909.08053), and nothing else of its size is sent.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
expect 0 cost "$TREE/models/gpt.mtf" --set "data.text=\"$TREE/models/data/stories.txt\"" -D layers=3 --mesh "model:4" \
  --rules "heads:model;d_ff:model" --json
python3 - <<'P' || fail "other collectives than two forward and two backward a layer"
import collections, json
large = [c for c in json.load(open("out"))["collectives"] if c["elements_per_processor"] > 1000]
assert all(c["kind"] == "all_reduce" for c in large), large
assert collections.Counter(c["phase"] for c in large) == {"forward": 6, "backward": 6}, large
P
# Llama, with its vocabulary split as well: beside those of the layers a sum for the embedding and one
# for the gradient of what the logits are made of.
expect 0 cost "$TREE/models/llama.mtf" -D layers=3 --layout "$TREE/models/layouts/llama/tp.layout" --json
python3 - <<'P' || fail "llama: other collectives than two forward and two backward a layer, and two"
import collections, json
large = [c for c in json.load(open("out"))["collectives"] if c["elements_per_processor"] > 2000]
assert all(c["kind"] == "all_reduce" for c in large), large
assert collections.Counter(c["phase"] for c in large) == {"forward": 7, "backward": 7}, large
P
# BERT, whose norms stand behind the residual sums: what a residual connection passes on is complete, and the partial
# gradients of queries, keys and values are added up before one sum.
expect 0 cost "$TREE/models/bert.mtf" -D layers=3 --layout "$TREE/models/layouts/bert/tp.layout" --json
python3 - <<'P' || fail "bert: other collectives over \`model\` than two forward and two backward a layer"
import collections, json
large = [c for c in json.load(open("out"))["collectives"] if c["axes"] == "model" and c["elements_per_processor"] > 1000]
assert all(c["kind"] == "all_reduce" for c in large), large
assert collections.Counter(c["phase"] for c in large) == {"forward": 6, "backward": 6}, large
P
done_testing
