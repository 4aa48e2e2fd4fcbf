# Every line that people read has at most 80 columns, of all commands; names are never cut.
. "$(dirname "$0")/lib.sh"
ln -s "$TREE/models" models
layout=(--layout models/layouts/gpt/fsdp_tp_seq.layout)
small=(-D layers=2 -D d_model=64 -D heads=4 -D batch=8 -D length=16 --set "data.text=models/data/stories.txt")
# fits STATUS ARGS...: the widest line of both streams.
fits() {
  expect "$@"
  for stream in out err; do
    [ "$(wc -L <$stream)" -le 80 ] || fail "${*:2}: $(awk 'length > 80' $stream | head -n 1)"
  done
}
fits 0 lib
fits 0 ops
fits 0 explain
for code in E100 E402 E405 E603 W306 W330 W510; do fits 0 explain $code; done
fits 0 train models/mnist.mtf --layout models/layouts/mnist/dp_mp.layout --steps 2
fits 0 train models/gpt.mtf "${layout[@]}" "${small[@]}" --steps 2 -o run
fits 0 train --resume run --steps 3
fits 0 verify models/gpt.mtf "${layout[@]}" "${small[@]}"
fits 0 run models/gpt.mtf "${small[@]}" layers.0.attn.q logits layers.1.mlp.down.w
fits 0 eval models/gpt.mtf --checkpoint run "${small[@]}"
fits 0 check models/gpt.mtf "${layout[@]}"
for layout_of in gpt/fsdp_tp_seq llama/tp_seq moe/ep_tp transformer_mt/dp_mp; do
  model=models/${layout_of%/*}.mtf file=models/layouts/$layout_of.layout
  for command in check cost why; do fits 0 $command $model --layout $file; done
  fits 0 cost $model --layout $file --hardware h100
  fits 0 diff $model $file "${file%/*}/dp.layout"
done
fits 0 cost models/gpt.mtf models/layouts/gpt/*.layout
fits 0 cost models/gpt.mtf models/layouts/gpt/*.layout --hardware h100
fits 0 draw models/gpt.mtf "${layout[@]}" layers.0.attn.q 33 memory flow
fits 0 emit models/gpt.mtf "${layout[@]}" "${small[@]}" --backend json -o emitted
fits 0 plan models/gpt.mtf "${small[@]}" --hardware h100 --processors 4 --time 2
fits 2 train models/gpt.mtf --no-such-option
fits 1 check models/gpt.mtf "${layout[@]}" --mesh "data:2;models:3"
# Names that leave room for little else.
cat >named.mtf <<'M'
dim batch = 8, io = 8, the_hidden_dimension = 8
input x[batch, io] from gaussian(seed=7)
param w[io, the_hidden_dimension] ~ normal(0.1)
h = relu(einsum(x, w over io))
loss mean(h * h)
train { optimizer = sgd(lr=0.1)  steps = 2 }
M
printf 'mesh an_axis_of_the_mesh=2, r=2\nbatch:r\nthe_hidden_dimension:an_axis_of_the_mesh\n' >named.layout
for command in check cost why "cost --hardware h100" "cost --symbolic" verify; do
  # shellcheck disable=SC2086
  fits 0 $command named.mtf --layout named.layout
done
fits 0 why named.mtf h --layout named.layout
says out "the_hidden_dimension:an_axis_of_the_mesh"
done_testing
