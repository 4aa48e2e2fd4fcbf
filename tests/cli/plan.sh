# `plan`: the fastest layout of a space, against every layout of it asked for one by one.
. "$(dirname "$0")/lib.sh"
write_two_layers
machine=(--hardware h100)

# proved PROCESSORS-OR-MESH... -- MODEL OPTIONS...: the plan is what asking `cost` for each layout gives.
proved() {
  local where=()
  while [ "$1" != -- ]; do where+=("$1"); shift; done
  shift
  expect 0 plan "$@" "${machine[@]}" "${where[@]}" --json
  cp out plan.json
  /usr/bin/python3 "$TREE/tests/tools/check_plan.py" "$MTFC" plan.json "$1" h100 "${@:2}" >checked 2>&1 ||
    fail "plan $* ${where[*]}: $(tail -n 1 checked)"
}
proved --processors 4 --axes 1 -- two.mtf
proved --processors 4 --axes 1 -- two.mtf -D batch=65536 -D io=8192 -D hidden=16384
json plan.json 'o["best"]["mesh"] == "all=4" and "batch:all" in o["best"]["rules"] and o["excluded"]'
proved --mesh "rows:2;cols:2" -- two.mtf -D batch=65536 -D io=256 -D hidden=16384

# A limit on memory changes the choice; the layout that is written costs what was said.
big=(two.mtf -D batch=16384 -D io=8192 -D hidden=16384)
expect 0 plan "${big[@]}" "${machine[@]}" --processors 4 --axes 1 --json
free=$(/usr/bin/python3 -c 'import json; print(json.load(open("out"))["best"]["memory"])')
limit=$(/usr/bin/python3 -c "print(f'{$free * 0.95 / 1e9:.6f}GB')")
expect 0 plan "${big[@]}" "${machine[@]}" --processors 4 --axes 1 --memory "$limit" -o best.layout --json
json out "o['best']['memory'] <= $free * 0.95 and o['best']['fits']"
cp out plan.json
expect 0 cost "${big[@]}" --layout best.layout "${machine[@]}" --json
/usr/bin/python3 -c 'import json
best, cost = json.load(open("plan.json"))["best"], json.load(open("out"))
assert best["step_seconds"] == cost["step_seconds"] and best["memory"] == cost["memory"]["per_processor"]' ||
  fail "the layout costs something else"
says best.layout "without it a step takes"
expect 6 plan "${big[@]}" "${machine[@]}" --processors 4 --axes 1 --memory 1MB
says out "No layout fits in 1 MB: the smallest takes"

# For people; without time there is a gap instead of a proof.
expect 0 plan two.mtf "${machine[@]}" --processors 4
says out "No layout of the space is faster."
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fail "wider than 80 columns"
expect 6 plan two.mtf "${machine[@]}" --processors 4 --time 0
says out "Time was up"

expect 2 plan two.mtf "${machine[@]}"
says err "for how many processors"
expect 2 plan two.mtf --processors 4
says err "for which machine"
expect 2 plan two.mtf "${machine[@]}" --processors 4 --memory lots
says err "an amount like"
expect 2 plan two.mtf "${machine[@]}" --processors 4 --mesh rows:2
done_testing
