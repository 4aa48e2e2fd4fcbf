"""Is the plan at least as fast as every layout that ships, and as random ones?

usage: plan_shelf.py MTFC TREE [--random N] [--near SHARE] [--seed N] [--hardware NAME] [--processors N,N] [--time S] [--jobs N]
       [MODEL ...]

MODEL: "gpt" or "gpt -D batch=256". Each shipped layout is tried on every mesh of its axes with so many
processors; random ones have random rules, scopes of blocks, ways to keep parameters, settings and micro-batches; a share of
them is one of the plan's fastest with such scopes. One line
for each model and number of processors; status 1 if anything is faster than a plan.
"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import re
import shlex
import subprocess
import sys

from random_layouts import conflicts, factorisations, has_any, near_layout, some_layout

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tools"))
from cost_tables import costs, tables

arguments = argparse.ArgumentParser()
arguments.add_argument("mtfc")
arguments.add_argument("tree", type=pathlib.Path)
arguments.add_argument("--random", type=int, default=200)
arguments.add_argument("--near", type=float, default=0.3)
arguments.add_argument("--seed", type=int, default=1)
arguments.add_argument("--hardware", default="h100")
arguments.add_argument("--processors", default="4,8")
arguments.add_argument("--time", default="60")
arguments.add_argument("--jobs", type=int, default=2)
arguments.add_argument("model", nargs="*", default=["two_layer", "mnist", "gpt", "llama"])
args = arguments.parse_intermixed_args()
chance = random.Random(args.seed)


def run(*words):
    made = subprocess.run([args.mtfc, *words, "--hardware", args.hardware, "--json"], capture_output=True, text=True)
    return json.loads(made.stdout)


def costs_of(model, layouts):
    """Seconds and bytes of each; nothing of what is not legal. All have the same mesh of the command line and settings."""
    _, _, mesh, more = layouts[0]
    words = [*model, *(["--mesh", mesh] if mesh else []), *more, "--hardware", args.hardware]
    return costs(args.mtfc, words, [text for _, text, _, _ in layouts])


def shipped(name, processors):
    for path in sorted((args.tree / "models/layouts" / name).glob("*.layout")):
        text = path.read_text()
        mesh = re.search(r"^mesh (.*)$", text, re.M)
        axes = re.findall(r"(\w+)\s*=", mesh.group(1)) if mesh else []
        for sizes in factorisations(processors, len(axes)):
            yield path.stem, text, ";".join(f"{a}:{s}" for a, s in zip(axes, sizes)), ()


def at_random(plan, processors, illegal):
    if chance.random() < args.near:
        text, more = near_layout(chance, plan)
        return "near", text, "", more
    while True:
        text, more = some_layout(chance, plan["space"], processors)
        if not has_any(illegal, text):
            return "random", text, "", more


def compare(words):
    name, *options = shlex.split(words)
    model = (str(args.tree / "models" / f"{name}.mtf"), *options)
    worse, illegal = 0, None
    for processors in map(int, args.processors.split(",")):
        plan = run("plan", *model, "--processors", str(processors), "--time", args.time)
        best, limit = plan["best"]["step_seconds"], plan["memory_limit"]
        tried, fastest, faster = 0, (float("inf"), ""), []
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            known = {}  # small models have few layouts

            def ask(layouts):
                some = list(tables({one for one in layouts if one not in known}, lambda one: one[2:]))
                for asked, answers in zip(some, pool.map(lambda one: costs_of(model, one), some)):
                    known.update(zip(asked, answers))
                return [(one, known[one]) for one in layouts]
            answers = list(ask(list(shipped(name, processors))))
            if illegal is None:
                illegal = conflicts(plan["space"], lambda texts: costs(args.mtfc, [*model, "--hardware", args.hardware], texts))
            legal = 0
            while legal < args.random:
                more = list(ask([at_random(plan, processors, illegal) for _ in range(500)]))
                legal += sum(answer is not None for _, answer in more)
                answers += more
        for layout, answer in answers:
            if answer is None or answer[1] > limit:
                continue
            tried += 1
            fastest = min(fastest, (answer[0], layout[0]))
            if answer[0] < best * (1 - 1e-9):
                faster.append((answer[0], layout))
        print(f"{words}, {processors} processors: plan {best * 1e3:.4g} ms{'' if plan['proved'] else ' (not proved)'}, "
              f"fastest of {tried} others {fastest[0] * 1e3:.4g} ms ({fastest[1]})", flush=True)
        for seconds, layout in sorted(faster)[:3]:
            print(f"  faster: {seconds * 1e3:.4g} ms {layout}", flush=True)
        worse += len(faster)
    return worse


sys.exit(1 if sum(compare(words) for words in args.model) else 0)
