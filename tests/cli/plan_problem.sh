# `plan --problem`: the solver alone, on problems in the contest's format.
. "$(dirname "$0")/lib.sh"
check() { /usr/bin/python3 "$TREE/tests/tools/check_problem.py" "$@"; }

cat >example.json <<'P'
{"problem": {"name": "example",
  "nodes": {"intervals": [[30, 70], [40, 70], [50, 120], [110, 140], [110, 150]],
            "costs": [[15], [55, 65], [25, 45, 35], [85, 75], [95]],
            "usages": [[10], [25, 25], [15, 20, 15], [10, 10], [15]]},
  "edges": {"nodes": [[0, 1], [0, 2], [1, 3], [2, 4], [3, 4]],
            "costs": [[30, 40], [50, 10, 40], [90, 10, 20, 80], [60, 20, 30], [70, 60]]},
  "usage_limit": 50}}
P
expect 0 plan --problem example.json --json
silent err
json out 'o["ok"] and o["cost"] == 445 and o["bound"] == 445 and o["optimal"] and o["status"] == "optimal"'
json out 'o["strategies"] == [0, 0, 2, 1, 0] and o["problem"] == "example"'
cp out answer
says <(check example.json answer) "cost 445 bound 445 gap 0.000 % optimal"
# The checker does not take what is not true.
sed 's/445/444/g' answer >lie; check example.json lie >said && fail "the checker took a wrong cost"
sed 's/"usage_limit": 50/"usage_limit": 49/' example.json >tight.json
check tight.json answer >said && fail "the checker took too much usage"
says said "is used at one time"

gzip -k example.json
expect 0 plan --problem example.json.gz --time 5
says out "example: 5 nodes, 5 edges, at most 50 used at any time"
says out "The cost is 445. No other choice costs less."
sed 's/, *$/,/; s/"usage_limit": 50/"usage_limit": 1000/' example.json >loose.json
expect 0 plan --problem loose.json --json
json out 'o["cost"] == 415 and o["optimal"]'
expect 5 plan --problem tight.json --json
json out 'not o["optimal"] and o["status"] == "infeasible" and o["cost"] is None and o["strategies"] is None'
expect 5 plan --problem tight.json
says out "No choice is possible within the limit."

# Files that are no problem.
head -c 100 example.json.gz >cut.json.gz
expect 2 plan --problem cut.json.gz
says err "damaged or cut off"
head -c 300 example.json >cut.json
expect 2 plan --problem cut.json
says err "it is not JSON at byte"
sed 's/\[3, 4\]\]/[3, 5]]/' example.json >stranger.json
expect 2 plan --problem stranger.json
says err "edge 4 names node 5 of 5"
sed 's/\[110, 150\]/[150, 110]/' example.json >backwards.json
expect 2 plan --problem backwards.json
says err "node 4 is alive from 150 to 110"
expect 2 plan --problem missing.json
says err "missing.json"
expect 2 plan --problem .
expect 2 plan --problem ''
expect 2 plan model.mtf --problem example.json
says err "cannot be combined with MODEL"
expect 2 plan --problem example.json --hardware h100
expect 2 plan --problem example.json --memory 1GB
expect 2 plan --problem example.json -D batch=3
expect 2 plan --problem example.json --time -1
expect 2 plan --hardware h100 --processors 4
says err "no MODEL is given"

# Thousands of nodes in a chain, with a limit that two neighbours share: near what dynamic programming finds.
/usr/bin/python3 - <<'P'
import json, random
random.seed(5)
n, k, limit = 3000, 6, 1600
numbers = lambda count: [random.randrange(1000) for _ in range(count)]
costs, usages = [numbers(k) for _ in range(n)], [numbers(k) for _ in range(n)]
edges = [numbers(k * k) for _ in range(n - 1)]
json.dump({"problem": {"name": "chain",
    "nodes": {"intervals": [[i, i + 2] for i in range(n)], "costs": costs, "usages": usages},
    "edges": {"nodes": [[i, i + 1] for i in range(n - 1)], "costs": edges},
    "usage_limit": limit}}, open("chain.json", "w"))
best = costs[0]
for i in range(1, n):
    best = [costs[i][t] + min(best[s] + edges[i - 1][s * k + t]
                              for s in range(k) if usages[i - 1][s] + usages[i][t] <= limit) if
            min(usages[i - 1]) + usages[i][t] <= limit else float("inf")
            for t in range(k)]
print(min(best), file=open("least", "w"))
P
expect 0 plan --problem chain.json --time 3 --json
cp out answer
check chain.json answer >said || fail "chain: $(cat said)"
json answer "0.9 * $(cat least) < o['bound'] <= $(cat least) <= o['cost'] < 1.05 * $(cat least)"
done_testing
