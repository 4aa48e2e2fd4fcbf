# `trace`: the predicted timeline of a step as Chrome's JSON.
. "$(dirname "$0")/lib.sh"
write_two_layers
printf 'mesh rows=2, cols=2\nbatch:rows\nhidden:cols\n' >l.layout

# What a processor does adds up to the step that `cost` predicts; the network to its communication.
adds_up() {
  expect 0 cost "$@" --json
  cp out cost.json
  expect 0 trace "$@" -o t.json
  says out "t.json"
  /usr/bin/python3 -c 'import json
t, c = json.load(open("t.json")), json.load(open("cost.json"))
slices = [e for e in t["traceEvents"] if e["ph"] == "X"]
near = lambda a, b: abs(a - b) <= 1e-9 * len(slices) + 1e-6 * abs(b)
computed = [e for e in slices if e["tid"] == 2]
assert near(sum(e["dur"] for e in computed) / 1e6, c["step_seconds"])
assert t["otherData"]["step_seconds"] == c["step_seconds"]
exposed = sum(e["dur"] for e in computed if e["cat"] == "exposed communication") / 1e6
assert near(exposed, c["seconds"]["communication_exposed"])
network = sum(e["dur"] for e in slices if e["tid"] > 2) / 1e6
assert near(network, c["seconds"]["communication_exposed"] + c["seconds"]["communication_hidden"])
times = sum(e["args"]["flops"] for e in computed if "flops" in e["args"])
assert times == c["flops"]["per_processor"], (times, c["flops"])
sent = sum(e["args"]["bytes_sent"] for e in slices if e["tid"] > 2)
assert sent == sum(x["bytes_sent_per_processor"] for x in c["collectives"])
peak = max(e["args"]["all"] for e in t["traceEvents"] if e["ph"] == "C")
assert peak + c["peak"]["roles"]["unused"] == c["memory"]["per_processor"]
# Slices of a track lie within each other or follow each other.
ends = {}
for e in sorted(slices, key=lambda e: (e["tid"], e["ts"], -e["dur"])):
    if e["tid"] > 1: assert e["ts"] >= ends.get(e["tid"], 0) - 1e-6
    if e["tid"] > 1: ends[e["tid"]] = e["ts"] + e["dur"]
' || fail "the timeline of $1 does not add up"
}
adds_up two.mtf --layout l.layout --hardware h100
adds_up "$TREE/models/gpt.mtf" --layout "$TREE/models/layouts/gpt/fsdp_tp.layout" --hardware tpu_v4
adds_up "$TREE/models/mnist.mtf" --hardware a100_40

# Many micro-batches: the first ones in full, the step as long as it is.
expect 0 cost two.mtf --layout l.layout --hardware h100 --set train.microbatches=8 --json
cp out cost.json
expect 0 trace two.mtf --layout l.layout --hardware h100 --set train.microbatches=8 -o t.json
/usr/bin/python3 -c 'import json
t, c = json.load(open("t.json")), json.load(open("cost.json"))
computed = [e for e in t["traceEvents"] if e["ph"] == "X" and e["tid"] == 2]
assert abs(sum(e["dur"] for e in computed) / 1e6 - c["step_seconds"]) < 1e-6 * c["step_seconds"] + 1e-6
again = [e["name"] for e in computed if e["cat"] == "as before"]
assert len(set(again)) == len(again) and len(again) % 4 == 0 and again, again
' || fail "micro-batches do not add up"

# Events say where they come from.
expect 0 trace two.mtf --layout l.layout --hardware h100 --json
json out 'o["step_seconds"] > 0'
json out '"hidden:cols" in [e["args"].get("rule") for e in o["trace"]["traceEvents"]]'
json out '"two.mtf:7" in [e["args"].get("line") for e in o["trace"]["traceEvents"]]'
json out '"communication: cols" in [e["args"].get("name") for e in o["trace"]["traceEvents"]]'
# Without -o it is standard output.
expect 0 trace two.mtf --layout l.layout --hardware h100
/usr/bin/python3 -c 'import json; json.load(open("out"))' || fail "no JSON on standard output"

# Mistakes.
expect 2 trace two.mtf --layout l.layout
says err "a timeline is predicted for a machine, and none is named"
expect 2 trace two.mtf --hardware h1000
expect 2 trace two.mtf --hardware h100 -o two.mtf
says err "is read by this command"
expect 3 trace two.mtf --hardware h100 -o no/such/folder/t.json
done_testing
