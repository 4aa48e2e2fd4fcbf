#!/usr/bin/env bash
# Predicted times beside published ones (docs/hardware.md): nobody changes a formula or a figure and
# leaves them behind unseen.
. "$TREE/tests/cli/lib.sh"
sed 's/^  x = x + attention/  recompute { x = x + attention/; s/^\(  x = x + mlp.*\)$/\1 }/' \
  "$TREE/models/gpt.mtf" >gpt.mtf
grep -q 'recompute { x = x + attention' gpt.mtf || fail "models/gpt.mtf has other layers"

# published SECONDS ARGS...: the predicted step is within 10 %.
published() {
  expect 0 cost "${@:2}" --json
  json out "abs(o['step_seconds'] / $1 - 1) < 0.1"
}
expect 0 cost "$TREE/models/transformer_lm.mtf" -D d_ff=262144 -D heads=256 --hardware tpu_v2 --json \
  --layout "$TREE/models/layouts/transformer_lm/paper.layout"
json out "abs(o['run_seconds'] / 13 / 3600 - 1) < 0.05 and 0.5 < o['mfu'] < 0.6 and o['fits']"
bf16=(--set train.precision=bf16 -D length=2048 -D vocab=51200 --hardware a100_80)
# These ran before attention's scores stayed out of memory.
split="batch:data;heads:model;d_ff:model;vocab:model;set attention=stored"
published 3.53 gpt.mtf "${bf16[@]}" -D batch=512 -D layers=24 -D d_model=2304 -D heads=24 \
  --mesh data:32 --rules "batch:data;set attention=stored"
published 9.40 gpt.mtf "${bf16[@]}" -D batch=1024 -D layers=40 -D d_model=6144 -D heads=48 \
  --mesh "data:32;model:8" --rules "$split"
published 1.42 gpt.mtf "${bf16[@]}" -D batch=4 -D layers=48 -D d_model=6144 -D heads=64 \
  --mesh "data:1;model:8" --rules "$split"
# Pipelines of 80 and 96 layers by night: predict's unit tests have small ones.
nightly || done_testing
printf 'mesh data=24, model=8\n%s\npipeline "layers.*" { stages = 8; schedule = 1f1b }\n' "$split" >stages.layout
sed 's/schedule = 1f1b/chunks = 2/' stages.layout >chunks.layout
published 24.8 gpt.mtf "${bf16[@]}" -D batch=2304 -D layers=80 -D d_model=12288 -D heads=96 \
  --set train.microbatches=96 --layout chunks.layout
# Tensor and sequence parallelism, three chunks a stage; scores, softmax and what is summed by them computed again.
sed 's/^  s = einsum(q, k/  recompute {\n&/; s/^  return einsum(einsum(a, v over memory), wo/  o = einsum(a, v over memory)\n  }\n  return einsum(o, wo/' \
  "$TREE/models/gpt.mtf" >selective.mtf
grep -q 'return einsum(o, wo' selective.mtf || fail "models/gpt.mtf has another attention"
cat >sequence.layout <<'LAYOUT'
mesh model=8
heads:model; d_ff:model; vocab:model
in "layers.*" { length:model }
in "layers.*.attn" { length:[] }
in "layers.*.mlp" { length:[] }
in "layers.*.mlp.down" { length:model }
pipeline "layers.*" { stages = 8; chunks = 3 }
set attention=stored
LAYOUT
published 13.75 selective.mtf "${bf16[@]}" --set train.precision=f16 -D batch=64 -D layers=96 -D d_model=12288 -D heads=96 \
  --set train.microbatches=64 --layout sequence.layout
done_testing
