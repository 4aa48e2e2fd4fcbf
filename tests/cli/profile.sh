# `train --profile`: the measured timeline of the first steps, and nothing else changes.
. "$(dirname "$0")/lib.sh"
write_two_layers
printf 'mesh rows=2, cols=2\nbatch:rows\nhidden:cols\n' >l.layout
losses() { sed 's/,"seconds":[^,}]*//' "$1"; }

expect 0 train two.mtf --layout l.layout --log plain.jsonl
expect 0 train two.mtf --layout l.layout --log log.jsonl --profile p.json
cmp -s <(losses plain.jsonl) <(losses log.jsonl) || fail "other losses with --profile"

# profile FILE STEPS PROGRAMS: each program of each step, its instructions in order, within it.
profile() {
  /usr/bin/python3 -c 'import json, sys
t = json.load(open(sys.argv[1]))
steps, programs = int(sys.argv[2]), int(sys.argv[3])
slices = [e for e in t["traceEvents"] if e["ph"] == "X"]
runs = [e for e in slices if e["cat"] == "program"]
assert len(runs) == steps * programs, len(runs)
assert runs[0]["name"].endswith("step 1") and runs[-1]["name"].endswith("step %d" % steps)
for run in runs:
    begin, end = run["ts"], run["ts"] + run["dur"]
    inside = [e for e in slices if e["tid"] == 2 and begin - 1e-6 <= e["ts"] < end]
    assert inside and all(e["ts"] + e["dur"] <= end + 1e-6 for e in inside)
    assert sum(e["dur"] for e in inside) <= run["dur"] + 1e-3
    for a, b in zip(inside, inside[1:]): assert a["ts"] + a["dur"] <= b["ts"] + 1e-6
assert {"computation", "feeds and fetches"} <= {e["cat"] for e in slices}
assert any(e["ph"] == "C" and e["args"]["all"] > 0 for e in t["traceEvents"])
begun = [e["id2"]["local"] for e in t["traceEvents"] if e["ph"] == "b"]
assert begun == [e["id2"]["local"] for e in t["traceEvents"] if e["ph"] == "e"]
assert len(set(begun)) == len(begun)
' "$@" 2>pyerr || { fail "$1 is not such a profile"; tail -n 3 pyerr; }
}
profile p.json 3 1
# The same instructions as the predicted timeline, under the same names with the same arguments.
expect 0 trace two.mtf --layout l.layout --hardware h100 -o t.json
/usr/bin/python3 -c 'import json
def seen(name):
    return {(e["name"], json.dumps(e["args"])) for e in json.load(open(name))["traceEvents"]
            if e["ph"] == "X" and e["tid"] > 1 and not e["name"].startswith("wait for")
            and e["cat"] != "feeds and fetches"}
assert seen("t.json") <= seen("p.json")
' || fail "events differ from those that are predicted"

# The table: rows add up to the step, and the products' FLOPs to those of all processors.
export XDG_CONFIG_HOME=$PWD
expect 0 train two.mtf --layout l.layout --profile p.json
says out "the median of 2 after the first"
says out "once \`mtfc bench-hardware\` has measured this machine"
awk 'length > 80' out | grep -q . && fail "wider than a terminal"
mkdir mtfc
echo 'hardware here { chip flops=1000TF mem=1GB hbm=1000GB/s }' >mtfc/here.layout
expect 0 train two.mtf --layout l.layout --profile p.json
says out "as \`mtfc bench-hardware\` measured it"
expect 0 train two.mtf --layout l.layout --profile p.json --json
expect 0 train two.mtf --profile q.json --json && cp out one.out
expect 0 train two.mtf --layout l.layout --profile p.json --json
/usr/bin/python3 -c 'import json
p, one = (json.load(open(name))["profile"] for name in ("out", "one.out"))
assert p["steps"] == 3 and 2 <= p["step"] <= 3
assert sum(r["seconds"] for r in p["rows"]) <= p["step_seconds"] * (1 + 1e-9)
assert {"forward", "backward", "update"} == {r["phase"] for r in p["rows"]}
def products(table): return sum(r["flops"] for r in table["rows"] if r["instruction"] == "contract")
assert products(p) >= products(one) > 0
for r in p["rows"]:
    assert r["calls"] > 0 and r["seconds"] >= 0
    if r["instruction"] == "contract" and r["line"] == "two.mtf:6" and r["seconds"] > 0:
        assert abs(r["share_of_peak"] - r["flops_per_second"] / 1e15) <= 1e-6 * r["share_of_peak"]
assert any(r["instruction"].startswith("all_reduce ") for r in p["rows"])
' 2>pyerr || { fail "not such a table"; tail -n 3 pyerr; }

# Micro-batches; collectives that are started early; no more than ten steps.
expect 0 train two.mtf --layout l.layout --set train.microbatches=4 --steps 2 --profile m.json
programs=$(/usr/bin/python3 -c 'import json
print(len({e["name"].split(", step")[0] for e in json.load(open("m.json"))["traceEvents"] if e.get("cat") == "program"}))')
profile m.json 2 "$programs"
[ "$programs" -gt 4 ] || fail "micro-batches are not told apart"
expect 0 train two.mtf --mesh rows:2 --rules 'batch:rows; param "**" { hidden:rows }' --steps 2 \
  --profile g.json
profile g.json 2 1
grep -q '"cat":"started early"' g.json || fail "no collective was started early"
expect 0 train two.mtf --steps 12 --profile ten.json
profile ten.json 10 1
grep -q 'one processor, measured' ten.json || fail "the process has another name"

# Mistakes.
expect 2 train two.mtf --profile p.json --replicas all
says err "exclude each other"
expect 2 train two.mtf --profile two.mtf
expect 3 train two.mtf --profile no/such/folder/p.json
done_testing
