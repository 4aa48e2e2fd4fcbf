# `diff`: what two layouts compute, send and hold differently.
. "$(dirname "$0")/lib.sh"
model=$TREE/models/mnist.mtf
layouts=$TREE/models/layouts/mnist
write_two_layers
printf 'mesh rows=2, cols=2\nbatch:rows\nhidden!:cols\nset update=sharded\n' >l.layout

expect 0 diff "$model" "$layouts/dp.layout" "$layouts/mp.layout"
says out "a $layouts/dp.layout: mesh rows=4"
says out "because of hidden1:cols"
[ "$(tail -n +5 out | awk 'length > 80' | wc -l)" -eq 0 ] || fail "wider than 80 columns"
expect 0 diff "$TREE/models/gpt.mtf" "$TREE/models/layouts/gpt/tp.layout" "$TREE/models/layouts/gpt/context.layout"
[ "$(tail -n +5 out | awk 'length > 80' | wc -l)" -eq 0 ] || fail "wider than 80 columns"
expect 0 diff two.mtf l.layout --without batch:rows --without batch:rows
expect 0 diff "$model" --layout "$layouts/dp.layout" --layout "$layouts/mp.layout" --json
json out 'not o["same"] and o["layouts"][0]["processors"] == 4 and len(o["lines"]) > 2'
# In the order of the command line.
for first in "$layouts/dp.layout" "--layout=$layouts/dp.layout"; do
  expect 0 diff "$model" "$first" --layout "$layouts/mp.layout"
  says out "a $layouts/dp.layout"
done
expect 0 diff "$model" --layout "$layouts/dp.layout" "$layouts/mp.layout" --json
json out '[l["file"][-9:] for l in o["layouts"]] == ["dp.layout", "mp.layout"]'
# What is on either side of a difference is what `cost` says.
json out '(sum(c["bytes_sent_per_processor"] for c in o["layouts"][0]["collectives"]) ==
  sum(c["bytes_sent"]["a"] for c in o["collectives"]))'
json out '(o["layouts"][1]["flops"]["per_processor"] - o["layouts"][0]["flops"]["per_processor"] ==
  sum(l["flops"]["b"] - l["flops"]["a"] for l in o["lines"]))'
cp out both.json
expect 0 cost "$model" --layout "$layouts/mp.layout" --json
/usr/bin/python3 -c 'import json
b, c = json.load(open("both.json"))["layouts"][1], json.load(open("out"))
assert all(b[k] == c[k] for k in ("flops", "memory", "peak", "collectives"))' || fail "not what cost says"

expect 0 diff "$model" "$layouts/dp.layout" "$layouts/dp.layout"
says out "they compute, send and hold the same"
expect 0 diff "$model" "$layouts/dp.layout" "$layouts/dp.layout" --json
json out 'o["same"] and o["collectives"] == [] and o["lines"] == []'
expect 0 diff "$model" "$layouts/dp.layout" "$layouts/mp.layout" --mesh "rows:2;cols:2"
says out "mp.layout: mesh rows=2, cols=2"

# A layout less one of its rules, however that is written.
expect 0 diff two.mtf l.layout --without hidden:cols --json
json out 'all(c["count"]["b"] == 0 for c in o["collectives"] if c["cause"] == "hidden:cols")'
json out 'o["layouts"][1]["without"] == ["hidden:cols"]'
cp out first.json
expect 0 diff two.mtf l.layout --without " hidden! : cols" --json
[ "$(sed -E 's/"(without|notes)":[^]]*]//g' out)" = "$(sed -E 's/"(without|notes)":[^]]*]//g' first.json)" ] || fail "spelled otherwise it differs"
expect 0 diff two.mtf l.layout --without update=sharded
says out "l.layout without update=sharded"
expect 0 diff two.mtf l.layout --without hidden:cols --without batch:rows
says out "x 4"
gpt="$TREE/models/gpt.mtf $TREE/models/layouts/gpt/fsdp_tp.layout"
expect 0 diff $gpt --without 'param "**" d_model:data'
says out "because of param \"**\" d_model:data"

write_chain
printf 'mesh data=2\nbatch:data\npipeline "layers.*" { stages = 3 }\n' >stages.layout
expect 0 diff chain.mtf stages.layout --without pipeline --set train.microbatches=4
says out "b stages.layout without pipeline: mesh data=2"
says out "because of pipeline"

# Mistakes.
expect 2 diff two.mtf l.layout --without hiden:cols
says err "\`l.layout\` has no rule \`hiden:cols\`"
says err "did you mean \`hidden:cols\`?"
expect 2 diff two.mtf l.layout --without everything
says err "it has \`batch:rows\`, \`hidden:cols\`, \`update=sharded\`"
expect 2 diff two.mtf l.layout --without ""
expect 2 diff two.mtf l.layout
says err "\`diff\` compares two layouts, not 1"
expect 2 diff two.mtf l.layout l.layout --without batch:rows
says err "compares one layout with itself, not 2"
expect 2 diff two.mtf l.layout missing.layout
says err "missing.layout"
silent out
printf 'mesh rows=2\nbatch:rows ; io:rows\n' >clash.layout
expect 1 diff two.mtf l.layout clash.layout
says err "clash.layout:2"
silent out
expect 1 diff two.mtf l.layout clash.layout --json
json out 'not o["ok"] and o["diagnostics"]'
# A layout that is compared with itself is read once: what is wrong with it is said once.
printf 'mesh rows=2\nbatch:rows\nfoo:rows\n' >unused.layout
expect 0 diff "$TREE/models/two_layer.mtf" unused.layout --without batch:rows
[ "$(grep -c 'W410' err)" = 1 ] || fail "W410 is not said once: $(cat err)"

# What is wrong without a rule is not said to be wrong in the file.
printf 'mesh all=2\nheads:all\nlength:all\nin "layers.*.attn" { length:[] }\n' >needed.layout
expect 0 check "$TREE/models/gpt.mtf" needed.layout
expect 1 diff "$TREE/models/gpt.mtf" needed.layout --without 'in "layers.*.attn" length:[]'
says err "not to the file as it is"

done_testing
