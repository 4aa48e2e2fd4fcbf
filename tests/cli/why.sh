# `why`: how lines are split and what they send; behind one of them, rules, and what they would cost.
. "$(dirname "$0")/lib.sh"
write_two_layers
printf 'mesh rows=2, cols=2\nbatch:rows\nhidden:cols\n' >l.layout

# Every line of the model is printed, with the shard of what it makes.
expect 0 why two.mtf --layout l.layout
says out "h = relu(einsum(x, w over io))"
says out "= h [batch:rows=32, hidden:cols=32]"
says out "= v [hidden:cols=32, io=32]"
[ "$(grep -c . out)" -gt 15 ] || fail "lines are missing"
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fail "wider than 80 columns"
# Lines add up to what `cost` says.
expect 0 why two.mtf --layout l.layout --json
cp out why.json
expect 0 cost two.mtf --layout l.layout --json
/usr/bin/python3 -c 'import json
w, c = json.load(open("why.json")), json.load(open("out"))
assert sum(l["flops"] for l in w["lines"]) == c["flops"]["per_processor"]
assert sum(l["collectives"] for l in w["lines"]) == len(c["collectives"])
assert sum(l["bytes_sent"] for l in w["lines"]) == sum(x["bytes_sent_per_processor"] for x in c["collectives"])
' || fail "lines do not add up to the cost"

# A line: from the rule to what is sent, and each rule left out.
expect 0 why two.mtf --layout l.layout 7
says out "2. hidden:cols"
says out "contract\` gives each processor along rows a part of a sum (backward"
says out "\`contract\` gives each processor along cols a part of a sum (forward, two.mtf:7)"
says out "1 x all_reduce over cols of z, each sends 4.1 kB"
expect 0 why two.mtf --layout l.layout 7 --json
cp out why.json
json out 'o["changes"][0]["without"] in ("hidden:cols", "batch:rows")'
json out '[c for c in o["changes"] if c["without"] == "hidden:cols"][0]["removes"] != []'
# What a change would cost was tried: it is what the layout without the rule costs.
printf 'mesh rows=2, cols=2\nbatch:rows\n' >less.layout
expect 0 cost two.mtf --layout less.layout --json
/usr/bin/python3 -c 'import json
w, c = json.load(open("why.json")), json.load(open("out"))
one = [x for x in w["changes"] if x["without"] == "hidden:cols"][0]
assert one["flops"] == c["flops"]["per_processor"] and one["memory"] == c["memory"]["per_processor"]
' || fail "a change was not tried"

# A line of the model has the collectives of the library that it calls.
expect 0 why $TREE/models/gpt.mtf --layout $TREE/models/layouts/gpt/fsdp_tp.layout 25 --json
json out 'any("library/nn.mtf:19" in c["library"] for c in o["collectives"])'
json out 'all(c["source"].endswith("gpt.mtf:25") for c in o["collectives"])'

# A tensor, a line of the library, a kept parameter.
expect 0 why two.mtf --layout l.layout z
says out "batch is split over rows by batch:rows"
says out "io is not split"
gpt="$TREE/models/gpt.mtf --layout $TREE/models/layouts/gpt/fsdp_tp.layout"
expect 0 why $gpt layers.2.attn.wq
says out "d_model is split over data by param \"**\" d_model:data"
says out "needs it unsplit over data"
expect 0 why $gpt nn.mtf:19
says out "d_ff:model"
expect 0 why two.mtf h
says out "nothing is communicated for it"

# Mistakes.
expect 2 why two.mtf --layout l.layout 99
says err "the step computes nothing that is called or stands at \`99\`"
silent out
expect 2 why two.mtf --layout l.layout hh
says err "did you mean \`h\`?"
expect 2 why two.mtf --layout l.layout ""
expect 1 why two.mtf --rules "batch:rows;io:rows" --mesh rows:2
# A name for what the library computes stands for that.
expect 0 why "$TREE/models/mnist.mtf" --layout "$TREE/models/layouts/mnist/dp_mp.layout" logits
says out "out.y [batch"
expect 0 draw "$TREE/models/mnist.mtf" --layout "$TREE/models/layouts/mnist/dp_mp.layout" logits
# A scope that leaves unsplit what a rule splits is named.
printf 'mesh a=2\nbatch:a\nin "layers.*.mlp" { batch:[] }\n' >whole.layout
expect 0 why "$TREE/models/gpt.mtf" --layout whole.layout layers.0.mlp.down.y
says out 'batch is not split, by in "layers.*.mlp" batch:[]'
# Layers that are split otherwise than others stand apart; there is no other layer.
printf 'mesh r=2, q=2\nbatch:r; d_ff:q; in "layers.0" { d_ff:[] }\n' >layers.layout
gpt=("$TREE/models/gpt.mtf" -D batch=8 -D length=16 -D layers=4 -D d_model=16 -D heads=4 --layout layers.layout)
expect 0 why "${gpt[@]}" layers.2.mlp.up.w
says out 'layers.{1-3}.mlp.up.w [d_model=16, d_ff:q=32]'
expect 0 why "${gpt[@]}" layers.0.mlp.up.w
says out 'layers.0.mlp.up.w [d_model=16, d_ff=64]'
expect 0 why "${gpt[@]}" 'layers.*.mlp.up.w'
[ "$(grep -c '^layers.*mlp.up.w \[' out)" = 2 ] || fail "not both kinds of layers"
expect 0 why "${gpt[@]}"
says out 'layers.*.ln1.g ['
expect 2 why "${gpt[@]}" layers.4.mlp.up.w
expect 2 draw "${gpt[@]}" layers.4.mlp.up.w
expect 0 draw "${gpt[@]}" 'layers.*.mlp.up.w'
says out 'layers.0.mlp.up.w'
says out 'layers.{1-3}.mlp.up.w'
# A line that only calls the library: what is made there for it, with and without a layout.
expect 0 why "$TREE/models/mnist.mtf" 10
says out "fc2.w [hidden1=512, hidden2=512]"
says out "h [batch=100, hidden2=512]"
! grep -q "fc1.w" out || fail "what is made for another line"
expect 0 why "$TREE/models/mnist.mtf" --layout "$TREE/models/layouts/mnist/dp_mp.layout" 11
says out "out.w [hidden2"
expect 0 draw "$TREE/models/mnist.mtf" 11
says out "out.w  f32"
! grep -q "fc2.w" out || fail "the picture of another line"
# Of a pipeline the instances of all stages, and the stages that have them.
cat >mini.mtf <<'M'
dim batch = 8, d = 4, f = 4, layers = 4
input x0[batch, d] from gaussian(seed=1)
param tied[d, f] ~ normal(0.5)
x = x0
repeat layers {
  param w[d, f] ~ normal(0.5)
  x = x + tanh(einsum(x, tied over d) + einsum(x, w over d))[f -> d]
}
loss mean(x * x)
train { optimizer = sgd(lr=0.01)  steps = 2  microbatches = 4 }
M
printf 'mesh a=2, b=2\nbatch:a\nf:b\npipeline "layers.*" { stages = 2 }\n' >alike.layout
expect 0 why mini.mtf --layout alike.layout layers.3.w
says out "in stages 0-1"
[ "$(grep -c '^layers.\*.w ' out)" = 1 ] || fail "a parameter once, where it is declared"
expect 0 why mini.mtf --layout alike.layout
says out "between stages"
! grep -q "= train" out || fail "sums of micro-batches are nothing that a line makes"
sed 's/stages = 2/stages = 2; a = 2+1; b = 2+1/' alike.layout >unlike.layout
expect 0 why mini.mtf --layout unlike.layout
says out "layers.{0-1}.w [d=4, f:b=2]"
says out "layers.{2-3}.w [d=4, f=4]"
expect 0 why mini.mtf --layout unlike.layout layers.3.w
says out "in stage 1"
# A view is what is gathered for it.
cat >keys.mtf <<'M'
dim batch = 4, length = 8, memory = length, d = 4
input x[batch, length, d] from gaussian(seed=7)
param w[d] = 1
u = x * w
k = u[length -> memory]
s[batch, length, memory] = einsum(u, k over d)
loss mean(s^2)
train { optimizer = sgd(lr=0.1)  steps = 1 }
M
expect 0 why keys.mtf k --rules length:a --mesh a:2
says out "all_gather over a of u"
expect 0 why keys.mtf s --rules length:a --mesh a:2
says out "nothing is communicated for it"
done_testing
