# `plan` of pipelines whose blocks are not alike: against every pipeline of small spaces; what is written costs and trains.
. "$(dirname "$0")/lib.sh"
cat >funnel.mtf <<'M'
use "nn.mtf"
dim batch = 64, d = 256, wide = 1024
input x[batch, d] from gaussian(seed=7)
input y[batch, d] from gaussian(seed=8)
h = tanh(dense@first(x over d -> wide))
h = tanh(dense@wide1(h over wide -> wide))
h = tanh(dense@wide2(h over wide -> wide))
h = tanh(dense@narrow(h over wide -> d))
h = dense@last(h over d -> d)
loss mean(square(h - y))
train { optimizer = sgd(lr=0.001) steps = 2 }
M
write_slow_machine
# proved PROCESSORS MEMORY OPTIONS...: no pipeline is faster than what the plan names.
proved() {
  expect 0 plan funnel.mtf --keep slow.layout --axes 1 --processors "$1" --memory "$2" "${@:3}" --json
  cp out plan.json
  /usr/bin/python3 "$TREE/tests/tools/check_pipelines.py" "$MTFC" plan.json funnel.mtf slow.layout >checked 2>&1 "${many[@]}" ||
    fail "plan of $*: $(tail -n 1 checked)"
}
many=(-D batch=512 -D d=512 -D wide=2048 --set train.microbatches=8)
proved 2 4GB "${many[@]}"
json plan.json 'o["space"]["staged_blocks"] == ["first", "wide*", "narrow", "last"] and o["space"]["iterations"] == 5'
json plan.json 'o["best"]["stages"] == 2 and o["best"]["whole"] and o["deviation"] < 0.02'
json plan.json 'all(not s["chunks"] for s in o["space"]["staged"])'
proved 3 4GB "${many[@]}" --submeshes --stages 2
json plan.json 'o["space"]["submeshes"] == ["all=1", "all=2"]'

expect 0 plan funnel.mtf "${many[@]}" --keep slow.layout --axes 1 --processors 3 -o best.layout
says out 'cut anywhere between "first", "wide*", "narrow",'
says best.layout 'pipeline "first", "wide*", "narrow", "last" { stages = '
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fail "wider than 80 columns"
expect 0 cost funnel.mtf "${many[@]}" --layout best.layout --json
expect 0 train funnel.mtf -D d=16 -D wide=32 --set train.microbatches=8 --layout best.layout

# A million processors in four stages take no more time or memory than a few.
sed 's/size=8/size=1048576/' slow.layout >large.layout
(ulimit -v 1500000 && timeout 60 "$MTFC" plan funnel.mtf -D batch=1048576 --set train.microbatches=8 --keep large.layout \
  --processors 1048576 --axes 1 --stages 4 --time 1 --json) >out 2>err || fail "a million processors: $(tail -n 1 err)"
json out 'any(p["stages"] == 4 for p in o["predicted"])'
done_testing
