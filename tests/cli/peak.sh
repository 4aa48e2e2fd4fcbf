# What is alive at the peak, and what is not in use, are together the memory of a processor, for every
# model and layout that ships.
. "$(dirname "$0")/lib.sh"
add_up='sum(o["peak"]["roles"].values()) == o["memory"]["per_processor"]
  and sum(a["bytes"] for a in o["peak"]["alive"]) + o["peak"]["roles"]["unused"] == o["memory"]["per_processor"]
  and min(o["peak"]["roles"].values()) >= 0 and o["peak"]["roles"]["parameters"] > 0'
checked=0
for layout in "$TREE"/models/layouts/*/*.layout; do
  case $layout in */paper.layout) continue ;; esac  # needs other sizes
  model=$TREE/models/$(basename "$(dirname "$layout")").mtf
  expect 0 cost "$model" --layout "$layout" --json
  json out "(${add_up//$'\n'/ })"
  checked=$((checked + 1))
done
[ "$checked" -gt 30 ] || fail "only $checked layouts"

# Which role it is follows from what the layout does.
models=$TREE/models
expect 0 cost "$models/gpt.mtf" --layout "$models/layouts/gpt/fsdp.layout" --json
json out 'o["peak"]["roles"]["gathered_parameters"] > 0'
expect 0 cost "$models/mnist.mtf" --set train.microbatches=4 --layout "$models/layouts/mnist/dp_mp.layout" --json
json out 'any(a["role"] == "gradients" and a["phase"] == "" for a in o["peak"]["alive"])'
expect 0 cost "$models/mnist.mtf"
says out "alive at the peak of memory, in "
says out "optimizer.m.fc1.w"
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fail "wider than 80 columns"
done_testing
