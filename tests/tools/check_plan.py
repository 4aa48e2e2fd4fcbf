"""Checks what `mtfc plan --json` says by asking `mtfc cost` for every layout of its space.

usage: check_plan.py MTFC PLAN.json MODEL HARDWARE [OPTION...]

Enumerates the space anew from its description, and knows nothing of how it was searched: each layout is
predicted as the plan says, or excluded with a bound that it does not beat, or not legal; none that fits
is faster than the best.
"""
import itertools
import json
import subprocess
import sys
import tempfile

mtfc, plan_file, model, hardware, *options = sys.argv[1:]
plan = json.load(open(plan_file))


def axes_of(mesh):
    return [(axis.split("=")[0], int(axis.split("=")[1])) for axis in mesh.split(", ") if axis]


def subsets(names):
    for count in range(len(names) + 1):
        yield from itertools.combinations(names, count)


def rules_of(general, kept):
    parts = [f"{dim}:{'+'.join(axes)}" for dim, axes in general if axes]
    if kept:
        parts.append(f'param "**" {{ {kept[0]}:{"+".join(kept[1])} }}')
    return "; ".join(parts) or "nothing split"


def layouts():
    """All of the space as (mesh, rules), whether legal or not."""
    for mesh in plan["space"]["meshes"]:
        names = [name for name, _ in axes_of(mesh)]
        ways = list(subsets(names))
        keeps = [None] + [(dim, axes) for dim in plan["space"]["kept"] for axes in ways
                          if axes and len(axes) in (1, len(names))]
        for general in itertools.product(ways, repeat=len(plan["space"]["dimensions"])):
            for kept in keeps:
                yield mesh, rules_of(zip(plan["space"]["dimensions"], general), kept)


def cost(mesh, rules):
    """What `mtfc cost` predicts; nothing if the layout is not legal or does not divide."""
    text = (f"mesh {mesh}\n" if mesh else "") + ("" if rules == "nothing split" else rules.replace("; param", "\nparam"))
    with tempfile.NamedTemporaryFile("w", suffix=".layout") as file:
        file.write(text + "\n")
        file.flush()
        made = subprocess.run([mtfc, "cost", model, *options, "--layout", file.name, "--hardware", hardware,
                               "--strict", "--json"], capture_output=True, text=True)
    found = json.loads(made.stdout)
    if "step_seconds" not in found or any(d["severity"] == "error" for d in found.get("diagnostics", [])):
        return None
    return found["step_seconds"], found["memory"]["per_processor"]


predicted = {(p["mesh"], p["rules"]): p for p in plan["predicted"]}
excluded = {(p["mesh"], p["rules"]): p["bound_seconds"] for p in plan["excluded"]}
least, looked_at, illegal = float("inf"), 0, 0
for layout in layouts():
    answer = cost(*layout)
    if answer is None:
        illegal += 1
        assert layout not in predicted, f"not legal, but predicted: {layout}"
        continue
    step, memory = answer
    looked_at += 1
    if memory <= plan["memory_limit"]:
        least = min(least, step)
    if layout in predicted:
        said = predicted[layout]
        assert (said["step_seconds"], said["memory"]) == (step, memory), f"{layout}: {said}, not {answer}"
        continue
    # Ways to keep what general rules excluded are excluded with them.
    general = (layout[0], layout[1].split("; param")[0] if "; param" in layout[1] else "nothing split")
    bound = excluded.get(layout, excluded.get(general))
    assert bound is not None, f"not looked at: {layout}"
    assert plan["best"]["step_seconds"] <= bound <= step * (1 + 1e-9), f"{layout}: bound {bound}, takes {step}"

assert plan["proved"]
if plan["best"] is None:
    assert least == float("inf"), f"a layout fits and takes {least}"
else:
    assert plan["best"]["step_seconds"] == least, f"best {plan['best']['step_seconds']}, but {least} is possible"
print(f"{looked_at} layouts looked at, {illegal} not legal")
