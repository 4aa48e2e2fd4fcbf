#!/usr/bin/env bash
# train --profile under mpirun: a process for each rank in one file, at times that fit together.
. "$(dirname "$0")/lib.sh" openmpi
layout=$TREE/models/layouts/two_layer/dp_mp.layout
for family in "${families[@]}"; do
  run "$family" 4 "$MTFC" train "$TREE/models/two_layer.mtf" --layout "$layout" --steps 2 -j 1 \
    --profile "$folder/$family.json" >/dev/null 2>"$folder/err" || { cat "$folder/err"; fail "$family"; continue; }
  /usr/bin/python3 -c 'import json, sys
t = json.load(open(sys.argv[1]))["traceEvents"]
names = [e["args"]["name"] for e in t if e["ph"] == "M" and e["name"] == "process_name"]
assert [n.split(" (")[0] for n in names] == ["rank %d" % i for i in range(4)], names
assert "rows=1, cols=0" in names[2]
def runs(rank): return [e for e in t if e.get("cat") == "program" and e["pid"] == rank]
assert all(len(runs(rank)) == 2 for rank in range(4))
# A sum over all ranks lies between: no rank ends a step before another has begun it.
for step in range(2):
    begins = [runs(r)[step]["ts"] for r in range(4)]
    ends = [runs(r)[step]["ts"] + runs(r)[step]["dur"] for r in range(4)]
    assert max(begins) < min(ends), (begins, ends)
' "$folder/$family.json" || fail "$family: the ranks do not fit together"
done
exit $failed
