# What is alive at the peak, and what is not in use, are together the memory of a processor, for every
# model and layout that ships.
. "$(dirname "$0")/lib.sh"
/usr/bin/python3 -c '' 2>/dev/null || { echo "skipped: no /usr/bin/python3"; exit 77; }
checked=0
for layout in "$TREE"/models/layouts/*/*.layout; do
  case $layout in */paper.layout) continue ;; esac  # needs other sizes
  model=$TREE/models/$(basename "$(dirname "$layout")").mtf
  # shellcheck disable=SC2046
  expect 0 cost "$model" $(day_sizes "$model") --layout "$layout" --json
  printf '%s\t%s\n' "$layout" "$(cat out)" >>costs
  checked=$((checked + 1))
done
/usr/bin/python3 - <<'P' || fail "parts of a processor's memory do not add up"
import json
wrong = 0
for layout, text in (line.split("\t", 1) for line in open("costs")):
    o = json.loads(text)
    memory, peak = o["memory"]["per_processor"], o["peak"]
    alive = sum(a["bytes"] for a in peak["alive"]) + peak["roles"]["unused"]
    if not (sum(peak["roles"].values()) == memory == alive and min(peak["roles"].values()) >= 0
            and peak["roles"]["parameters"] > 0):
        wrong += 1
        print("FAILED:", layout, memory, alive, peak["roles"])
assert not wrong
P
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

# What iterations share has one gradient, whatever their number: not one for each at a time.
same="dim batch = 2, d = 128, steps = 30, words = 2000
input x[batch, d] from gaussian(seed=1)
word[batch] ~ integers(2000)
h = x"
end="loss mean(square(h - 1))
train { optimizer = sgd(lr=0.1)  steps = 2 }"
shares() {  # PARAMETER EXPRESSION
  printf '%s\nparam %s ~ normal(0.1)\nrepeat@t i in steps { h = tanh(h + %s) }\n%s\n' "$same" "$1" "$2" "$end" >shared.mtf
  expect 0 cost shared.mtf --json
  json out 'o["memory"]["total"] < 4.5 * 4 * o["parameters"]'
}
shares "w[d, d']" "einsum(h, w over d)[d' -> d]"
shares "w[steps, d, d']" "einsum(h, w[steps = i] over d)[d' -> d]"
shares "w[words, d]" "w[words = word]"
done_testing
