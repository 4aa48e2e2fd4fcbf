"""Checks what `mtfc plan --json` says by asking `mtfc cost` for every layout of its space.

usage: check_plan.py MTFC PLAN.json MODEL HARDWARE [OPTION...]

Enumerates the space anew from its description, and knows nothing of how it was searched: each layout is
predicted as the plan says, or excluded with a bound that it does not beat, or not legal; none that fits
is faster than the best. Scopes of blocks are those that the plan names; what can be combined with them is
enumerated like the rest. What was predicted and does not fit is asked for again with `set recompute=` of both kinds, in
every number of iterations: of up to four the plan has the best, of more one that is nearly so. Of spaces with
padding (`--pad`) every dimension must have more elements than there are processors.
"""
import collections
import concurrent.futures
import itertools
import json
import re
import sys

from cost_tables import costs, tables

mtfc, plan_file, model, hardware, *options = sys.argv[1:]
plan = json.load(open(plan_file))
space = plan["space"]


def axes_of(mesh):
    return [axis.split("=")[0] for axis in mesh.split(", ") if axis]


def subsets(names):
    for count in range(len(names) + 1):
        yield from itertools.combinations(names, count)


def general_rules(mesh):
    """Every assignment of axes to dimensions, as entries."""
    for axes in itertools.product(list(subsets(axes_of(mesh))), repeat=len(space["dimensions"])):
        yield tuple(f"{dim}:{'+'.join(a)}" for dim, a in zip(space["dimensions"], axes) if a)


def entries(rules):
    return () if not rules else tuple(re.split(r"; (?![^{]*})", rules))


def head(all_entries):
    """What says how operations take tensors: general rules and scopes of blocks."""
    return tuple(e for e in all_entries if not e.startswith(("param ", "set ")))


def split_axes(text):
    """ "batch:outer+inner" -> "batch", {"outer", "inner"} """
    dim, axes = text.split(":")
    return dim, set() if axes == "[]" else set(axes.split("+"))


def kept_elsewhere(rules, kept, axes):
    """How the parameters of blocks are kept whose scopes give one of these axes to another dimension."""
    general = dict(split_axes(e) for e in rules if not e.startswith("in "))
    for glob, scope in re.findall(r'in "(.*?)" { (.*?) }', "; ".join(e for e in rules if e.startswith("in "))):
        gained = set().union(*(a - general.get(dim, set()) for dim, a in map(split_axes, scope.split("; ")) if dim != kept and dim not in space["inputs"]))
        if ";" in scope and gained & set(axes):  # an axis handed over
            yield f'param "{glob}.**" {{ {kept}:{"+".join(a for a in axes if a not in gained) or "[]"} }}'


def variants(mesh, rules, microbatches):
    """How parameters are kept, updated and gathered."""
    entries_of_scopes = [one for e in rules if e.startswith("in ") for one in re.search("{ (.*) }", e)[1].split("; ")]
    carry = {axis for e in [*(e for e in rules if not e.startswith("in ")), *entries_of_scopes] if ":" in e
             for axis in e.split(":")[1].split("+") if e.split(":")[0] in space["inputs"]}
    ruled = collections.defaultdict(set, (split_axes(e) for e in rules if not e.startswith("in ")))
    names = axes_of(mesh)
    keeps = [()]
    ways = list(itertools.product([[dim] for dim in space["kept"]], subsets(names)))
    ways += [(one["dims"], tuple(one["axes"])) for one in space["kept_together"] if one["mesh"] == mesh]
    for dims, axes in ways:
        if carry.intersection(axes) and len(axes) in (1, len(names)) and all(carry.union(ruled[dim]).issuperset(axes) for dim in dims):
            entries_of_all = "; ".join(dim + ":" + "+".join(axes) for dim in dims)
            keeps.append((f'param "**" {{ {entries_of_all} }}',))
            # Of both one is in the space: an axis twice is an error, and what rules nothing a warning.
            if elsewhere := tuple(entry for dim in dims for entry in kept_elsewhere(rules, dim, axes)):
                keeps.append(keeps[-1] + elsewhere)
    for kept in keeps:
        for update in [(), ("set update=sharded",)] if space["updates"] else [()]:
            gathers = [()]
            if space["gathers"] and kept:
                gathers += [("set gather=once",)] + ([("set gather=step",)] if microbatches > 1 else [])
            for gather in gathers:
                yield kept + update + gather


def costs_of(layouts):
    """Of layouts with as many micro-batches each. A rule that matches nothing (W410) is not of the space."""
    microbatches = layouts[0][2]
    setting = [] if space["microbatches"] == [microbatches] else ["--set", f"train.microbatches={microbatches}"]
    texts = ["\n".join(((f"mesh {mesh}",) if mesh else ()) + rules) + "\n" for mesh, rules, _ in layouts]
    strict = [] if space["pads"] else ["--strict"]  # which refuses what does not divide
    return costs(mtfc, [model, *options, *setting, "--hardware", hardware, *strict], texts, refused=["W410"])


def key(one):
    return one["mesh"], entries(one["rules"]), one["microbatches"]


predicted = {key(p): p for p in plan["predicted"]}
excluded = {key(e): e for e in plan["excluded"] if e["all_of"] == "layout"}
families = {}
for e in plan["excluded"]:
    if e["all_of"] != "layout":
        families.setdefault((e["mesh"], head(entries(e["rules"]))), []).append(e)


def plain(rules):
    return tuple(e for e in rules if not e.startswith("set recompute="))


def recomputed(rules):
    """ ("full", 3) of "set recompute=full:3"; of all iterations there are none. """
    words = [e.split("=")[1].split(":") for e in rules if e.startswith("set recompute=")]
    return (words[0][0], int((*words[0], 0)[1])) if words else None


def computed_again(rules):
    for what, n in itertools.product(("selective", "full"), range(1, space["recompute_iterations"] + 1)):
        yield (*rules, f"set recompute={what}" + (f":{n}" if n < space["recompute_iterations"] else ""))


def fewest(mesh, rules, microbatches):
    """In how many iterations the plan computes this again; none if it does not."""
    return again_in.get((mesh, plain(rules), microbatches, recomputed(rules)[0])) if recomputed(rules) else None


again_in = {(m, plain(rules), count, recomputed(rules)[0]): recomputed(rules)[1] or space["recompute_iterations"]
            for m, rules, count in predicted if recomputed(rules)}


def exclusion(mesh, rules, microbatches):
    """What the plan says of a layout that it did not predict. What excludes a layout excludes it computed again."""
    every = tuple(e.split(":")[0] if e.startswith("set recompute=") else e for e in rules)
    for one in (every, plain(rules)):
        if exact := excluded.get((mesh, one, microbatches)):
            return exact
    for e in families.get((mesh, head(rules)), []):
        if e["all_of"] == "rules" or e["microbatches"] <= microbatches:
            return e
    return None


def heads():
    """General rules of the space, and with them the scopes that the plan names."""
    for mesh in space["meshes"]:
        for rules in general_rules(mesh):
            yield mesh, rules
    named = {(e["mesh"], head(entries(e["rules"]))) for e in plan["predicted"] + plan["excluded"]}
    yield from sorted(one for one in named if any(e.startswith("in ") for e in one[1]))


least, looked_at, illegal = float("inf"), 0, 0


def check(layout, answer):
    global least, looked_at, illegal
    if recomputed(layout[1]) and layout not in predicted and not fewest(*layout):
        return  # what could not be the best without is not computed again
    if answer is None:
        illegal += 1
        assert layout not in predicted, f"not legal, but predicted: {layout}"
        return
    step, memory = answer
    looked_at += 1
    if memory <= plan["memory_limit"]:
        least = min(least, step)
    if layout in predicted:
        said = predicted[layout]
        if said["whole"]:
            assert said["step_seconds"] == step, f"{layout}: {said}, not {answer}"
            # What is held outside of steps is counted of what may be the best.
            known = plan["best"] is None or step > plan["best"]["step_seconds"] or said["memory"] > plan["memory_limit"]
            assert said["memory"] == memory or (known and said["memory"] < memory), f"{layout}: {said}, not {answer}"
        else:
            assert abs(said["step_seconds"] / step - 1) <= 0.01, f"{layout}: {said}, not {answer}"
        return
    if fewest(*layout):
        return  # the plan has another number of iterations, which `least` is compared with
    if plan["least_memory"]:
        assert plan["memory_limit"] < plan["least_memory"] <= memory, f"{layout} takes {memory}"
        return
    e = exclusion(*layout)
    assert e is not None, f"not looked at: {layout}"
    if "bound_memory" in e:
        assert plan["memory_limit"] < e["bound_memory"] <= memory, f"{layout}: {e}, takes {memory}"
    else:
        assert plan["best"]["step_seconds"] <= e["bound_seconds"] <= step * (1 + 1e-9), f"{layout}: {e}, takes {step}"


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    def ask(layouts):
        of_counts = list(tables(layouts, lambda one: one[2]))
        for some, answers in zip(of_counts, pool.map(costs_of, of_counts)):
            for layout, found in zip(some, answers):
                check(layout, found)
                yield layout, found

    first = space["microbatches"][0]
    # What is not legal by its general rules is not legal with anything else.
    legal = {layout: answer for layout, answer in ask([(*one, first) for one in heads()]) if answer}
    rest = []
    for mesh, rules, _ in legal:
        for count in space["microbatches"]:
            rest += [(mesh, rules + more, count) for more in variants(mesh, rules, count)
                     if more or count != first]
    answers = [(layout, answer) for layout, answer in ask(rest) if answer]
    short = [layout for layout, (_, memory) in [*legal.items(), *answers] if memory > plan["memory_limit"]]
    again = [(mesh, more, count) for mesh, rules, count in short for more in computed_again(rules)]
    for _ in ask(again):
        pass

assert plan["proved"]
if plan["best"] is None:
    assert least == float("inf"), f"a layout fits and takes {least}"
else:
    most = least if space["recompute_iterations"] < 5 else least * 1.01
    assert least <= plan["best"]["step_seconds"] <= most, f"best {plan['best']['step_seconds']}, but {least} is possible"
print(f"{looked_at} layouts looked at, {illegal} not legal, {len(again)} computed again")
