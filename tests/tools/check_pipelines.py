"""Checks a plan with pipelines by asking `mtfc cost` for every one of its space.

usage: check_pipelines.py MTFC PLAN.json MODEL HARDWARE.layout [OPTION...]

For small spaces: every mesh of stages, every way to make stages of submeshes, every cut, all schedules and numbers of chunks, all rules, ways to keep and update
parameters and numbers of micro-batches; where the fastest cut does not fit, all with `set recompute=` as well. None that fits is faster than the best;
each family that was excluded is as slow as the plan says.
"""
import concurrent.futures
import itertools
import json
import math
import re
import sys

from cost_tables import costs, tables

mtfc, plan_file, model, hardware, *options = sys.argv[1:]
plan = json.load(open(plan_file))
space = plan["space"]
machine = open(hardware).read()
slack = 1e-6  # in what order seconds are added up


def cuts(iterations, stages):
    if stages == 1:
        yield (iterations,)
        return
    for here in range(1, iterations - stages + 2):
        for rest in cuts(iterations - here, stages - 1):
            yield (here, *rest)


def subsets(names):
    return [c for n in range(len(names) + 1) for c in itertools.combinations(names, n)]


def rules_of(mesh):
    axes = [axis.split("=")[0] for axis in mesh.split(", ") if axis]
    for chosen in itertools.product(subsets(axes), repeat=len(space["dimensions"])):
        rules = [f"{dim}:{'+'.join(a)}" for dim, a in zip(space["dimensions"], chosen) if a]
        carry = {axis for dim, a in zip(space["dimensions"], chosen) if dim in space["inputs"] for axis in a}
        keeps = [""] + [f'param "**" {{ {dim}:{"+".join(a)} }}' for dim in space["kept"] for a in subsets(axes)
                        if a and len(a) in (1, len(axes)) and carry.issuperset(a)]
        for kept in keeps:
            for update in ["", "set update=sharded"]:
                for gather in ["", "set gather=once"] if kept else [""]:
                    yield tuple(rules), tuple(e for e in (*rules, kept, update, gather) if e)


def costs_of(layouts):
    """Of layouts with as many micro-batches each."""
    texts = ["\n".join(([f"mesh {mesh}"] if mesh else []) + list(entries) + [pipeline, machine])
             for _, mesh, _, entries, pipeline, _ in layouts]
    return costs(mtfc, [model, *options, "--set", f"train.microbatches={layouts[0][-1]}", "--strict"], texts)


blocks_named = ", ".join(f'"{glob}"' for glob in space["staged_blocks"])


def pipelines(stages, chunk_numbers):
    """The fields of a pipeline, and what its micro-batches are a multiple of."""
    for blocks in cuts(space["iterations"], stages):
        for schedule in ("1f1b", "gpipe"):
            yield f"stages = {'+'.join(map(str, blocks))}; schedule = {schedule}", 1
    for chunks in chunk_numbers:
        yield f"stages = {stages}; schedule = interleaved; chunks = {chunks}", stages


def sizes_of(mesh):
    return [(name, int(size)) for name, size in (axis.split("=") for axis in mesh.split(", "))]


def stages_of_submeshes(processors, most):
    """All ways to give so many processors to stages of submeshes."""
    def add(left, chosen):
        if left == 0 and len(chosen) > 1:
            yield chosen
        elif left > 0 and len(chosen) < most:
            for mesh in space["submeshes"]:
                count = math.prod(size for _, size in sizes_of(mesh))
                if count <= left:
                    yield from add(left - count, (*chosen, mesh))
    yield from add(processors, ())


def with_meshes(meshes):
    """The mesh of the first stage, and the fields of the pipeline for those of all."""
    stages = [sizes_of(mesh) for mesh in meshes]
    fields = "".join(f"; {axis[0][0]} = " + "+".join(str(size) for _, size in axis) for axis in zip(*stages))
    return meshes[0], fields


layouts = []
for staged in space["staged"]:
    for rules, entries in rules_of(staged["mesh"]):
        for fields, multiple in pipelines(staged["stages"], staged["chunks"]):
            pipeline = f"pipeline {blocks_named} {{ {fields} }}"
            layouts += [(staged["mesh"], staged["stages"], rules, entries, pipeline, m)
                        for m in space["microbatches"] if m > 1 and m % multiple == 0]

# Of each: the family, which is one for all pipelines of submeshes, and the mesh that is written.
layouts = [((mesh, stages), mesh, *rest) for mesh, stages, *rest in layouts]
if space["submeshes"]:
    axes = ", ".join(f"{name}=1" for name, _ in sizes_of(space["submeshes"][0]))
    for meshes in stages_of_submeshes(space["submesh_processors"], space["submesh_stages"]):
        first, fields = with_meshes(meshes)
        for rules, entries in rules_of(axes):
            for blocks in cuts(space["iterations"], len(meshes)):
                for schedule in ("1f1b", "gpipe"):
                    pipeline = f'pipeline {blocks_named} {{ stages = {"+".join(map(str, blocks))}; schedule = {schedule}{fields} }}'
                    layouts += [(("submeshes",), first, rules, entries, pipeline, m) for m in space["microbatches"] if m > 1]

with concurrent.futures.ThreadPoolExecutor(2) as pool:
    def ask(layouts):
        some = list(tables(layouts, lambda one: one[-1]))
        return list(itertools.chain(*some)), list(itertools.chain(*pool.map(costs_of, some)))

    layouts, answers = ask(layouts)
    families = {}  # all cuts of a pipeline, by what else it says
    for (family, mesh, rules, entries, pipeline, m), answer in zip(layouts, answers):
        if answer:
            families.setdefault((family, rules, entries, m), []).append((answer, mesh, pipeline))
    again = [(family, mesh, rules, (*entries, f"set recompute={what}"), pipeline, m)
             for (family, rules, entries, m), cuts_of in families.items()
             if space["recompute"] and min(cuts_of)[0][1] > plan["memory_limit"]
             for _, mesh, pipeline in cuts_of for what in ("selective", "full")]
    again, more = ask(again)
    layouts += again
    answers += more

excluded = {}
for one in plan["excluded"]:
    if (one["stages"] > 1 or one["submeshes"]) and "bound_seconds" in one:
        head = re.sub(r'(; )?pipeline "[^{]*\{[^}]*\}', "", one["rules"])
        rules = tuple(e for e in head.split("; ") if ":" in e and not e.startswith(("param ", "set ", "in ")))
        if "in " not in head:
            family = ("submeshes",) if one["submeshes"] else (one["mesh"], one["stages"])
            excluded.setdefault((family, rules), []).append(one)

best, least, legal = plan["best"], float("inf"), 0
for (family, mesh, rules, entries, pipeline, m), answer in zip(layouts, answers):
    if answer is None:
        continue
    legal += 1
    step, memory = answer
    for one in excluded.get((family, rules), []):
        stands_for = {"rules": True, "pipeline": one["microbatches"] == m}.get(one["all_of"], False)
        assert not stands_for or one["bound_seconds"] <= step * (1 + 1e-9), f"{entries} {pipeline} {m}: {one}, {step}"
    if memory <= plan["memory_limit"]:
        least = min(least, step)
        assert step >= best["step_seconds"] * (1 - slack), f"{mesh} {entries} {pipeline} {m} takes {step}: {best}"
assert plan["proved"] and legal > 0
if best["stages"] > 1:
    assert best["step_seconds"] <= least * (1 + slack), f"{best}, not {least}"
interleaved = sum(answer is not None and "interleaved" in layout[4] for layout, answer in zip(layouts, answers))
of_submeshes = sum(answer is not None and layout[0] == ("submeshes",) for layout, answer in zip(layouts, answers))
print(f"{legal} pipelines of {len(layouts)}, {interleaved} interleave, {of_submeshes} are of submeshes, {len(again)} computed again: the fastest takes {least:.6g} s, the plan {best['step_seconds']:.6g} s")
