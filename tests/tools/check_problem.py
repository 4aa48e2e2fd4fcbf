"""Recomputes from a problem's file what an answer of `mtfc plan --problem --json` says.

    check_problem.py PROBLEM.json[.gz] ANSWER.json

Prints one line: cost, bound and the gap between them, or what is wrong, with status 1. Shares
nothing with mtfc but the two formats.
"""
import gzip
import json
import sys

INFINITE = 10**18


def read(path):
    with open(path, "rb") as file:
        begin = file.read(2)
    with (gzip.open if begin == b"\x1f\x8b" else open)(path, "rb") as file:
        return json.load(file)


def cost_of(problem, strategies):
    nodes, edges = problem["nodes"], problem["edges"]
    parts = [costs[s] for costs, s in zip(nodes["costs"], strategies)]
    for (a, b), costs in zip(edges["nodes"], edges["costs"]):
        columns = len(nodes["costs"][b])
        parts.append(costs[strategies[a] * columns + strategies[b]])
    return None if max(parts) >= INFINITE else sum(parts)


def peak_of(problem, strategies):
    """The most in use at any time: what a node uses from its first time on, up to its last."""
    changes = {}
    nodes = problem["nodes"]
    for (begin, end), usages, s in zip(nodes["intervals"], nodes["usages"], strategies):
        if begin < end:
            changes[begin] = changes.get(begin, 0) + usages[s]
            changes[end] = changes.get(end, 0) - usages[s]
    now = peak = 0
    for time in sorted(changes):
        now += changes[time]
        peak = max(peak, now)
    return peak


def wrong(problem, answer):
    strategies, counts = answer["strategies"], [len(c) for c in problem["nodes"]["costs"]]
    if strategies is None:
        return f"no strategies: {answer['status']}"
    if len(strategies) != len(counts):
        return f"{len(strategies)} strategies for {len(counts)} nodes"
    if not all(isinstance(s, int) and 0 <= s < n for s, n in zip(strategies, counts)):
        return "a strategy that its node does not have"
    cost, peak = cost_of(problem, strategies), peak_of(problem, strategies)
    limit = problem.get("usage_limit")
    if cost is None:
        return "a strategy or a pair of strategies that is not possible"
    if limit is not None and peak > limit:
        return f"{peak} is used at one time, and {limit} is the limit"
    if cost != answer["cost"]:
        return f"the strategies cost {cost}, not {answer['cost']}"
    if answer["bound"] > cost:
        return f"bound {answer['bound']} is above the cost {cost}"
    if answer["optimal"] and answer["bound"] != cost:
        return "optimal, with another bound"
    return ""


def main():
    problem, answer = read(sys.argv[1])["problem"], read(sys.argv[2])
    fault = wrong(problem, answer)
    if fault:
        print(fault)
        return 1
    cost, bound = answer["cost"], answer["bound"]
    gap = 100 * (cost - bound) / max(1, abs(cost))
    print(f"cost {cost} bound {bound} gap {gap:.3f} % {'optimal' if answer['optimal'] else ''}".strip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
