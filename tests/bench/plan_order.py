"""Are the best five layouts of a plan and five random ones measured here in the order that is predicted?

usage: plan_order.py MTFC TREE [--ranks N] [--random N] [--rounds N] [--steps N] [--seed N] [MODEL ...]

MODEL: "mnist" or "mnist -D batch=32", with data from the tree. Each layout is trained on N ranks (2) of one thread, and on the
simulated mesh of so many processors, replicas computed, with N threads. This machine is measured under
N ranks first. A step is the middle one of the fastest round; rounds go through all layouts in turns.
A pair of layouts is in order if the one that is predicted to be faster is, or if either calls them
less than 5 % apart. Two processors, one MPI; nothing fails by numbers alone.
"""
import argparse
import itertools
import json
import os
import pathlib
import random
import shlex
import statistics
import subprocess
import tempfile

from random_layouts import some_layout

arguments = argparse.ArgumentParser()
arguments.add_argument("mtfc")
arguments.add_argument("tree", type=pathlib.Path)
arguments.add_argument("--ranks", type=int, default=2)
arguments.add_argument("--random", type=int, default=5)
arguments.add_argument("--rounds", type=int, default=3)
arguments.add_argument("--steps", type=int, default=12)
arguments.add_argument("--seed", type=int, default=1)
arguments.add_argument("model", nargs="*", default=["mnist -D batch=1000", "llama",
                       "gpt --set 'data.text=chars(\"models/data/stories.txt\")'"])
args = arguments.parse_intermixed_args()
args.mtfc, args.tree = os.path.realpath(args.mtfc), args.tree.resolve()
chance = random.Random(args.seed)
folder = pathlib.Path(tempfile.mkdtemp())
environment = dict(os.environ, XDG_CONFIG_HOME=str(folder), OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
on_ranks = ["mpirun", "--oversubscribe", "-n", str(args.ranks)]
close = 0.05


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, env=environment, cwd=args.tree)


def asked(*words):
    return json.loads(run(args.mtfc, *words, "--hardware", "here", "--json").stdout)


def predicted(model, file, more):
    """Seconds; nothing if the layout is not legal."""
    found = asked("cost", *model, "--layout", file, *more)
    if "step_seconds" not in found or any(d["severity"] == "error" for d in found["diagnostics"]):
        return None
    return found["step_seconds"]


def measured(prefix, model, file, more):
    log = folder / "log"
    log.unlink(missing_ok=True)
    made = run(*prefix, args.mtfc, "train", *model, "--layout", file, *more, "--steps", str(args.steps),
               "--set", "train.eval_every=0", "--log", str(log))
    if made.returncode != 0:
        raise SystemExit(f"train {model} {file}:\n{made.stderr}")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return statistics.median([line["seconds"] for line in lines if "seconds" in line][2:])


def layouts_of(model):
    """(seconds, file, options of `train`, words), the best of the plan and random ones."""
    plan = asked("plan", *model, "--mesh", f"all:{args.ranks}", "--stages", "1", "--time", "20")
    found, seconds = [], set()

    def add(name, text, more):
        file = str(folder / f"{name}.layout")
        pathlib.Path(file).write_text(text)
        took = predicted(model, file, more)
        if took is None or took in seconds:  # the same program in other words
            return False
        seconds.add(took)
        found.append((took, file, more, " ".join(text.split() + list(more[1:]))))
        return True

    best = iter(plan["predicted"])
    while len(found) < 5 and (one := next(best, None)) is not None:
        rules = one["rules"].replace("; ", "\n")
        more = ("--set", f"train.microbatches={one['microbatches']}")
        add(f"best{len(found)}", f"mesh {one['mesh']}\n{rules}\n", more)
    tries = 0
    while len(found) < 5 + args.random and tries < 300:
        tries += 1
        add(f"random{len(found)}", *some_layout(chance, plan["space"], args.ranks))
    return found


def in_order(found, times):
    pairs = wrong = 0
    for (p, a), (q, b) in itertools.combinations(zip([one[0] for one in found], times), 2):
        pairs += 1
        wrong += (p < q) != (a < b) and min(p / q, q / p) < 1 - close and min(a / b, b / a) < 1 - close
    return pairs - wrong, pairs


def compare(words):
    name, *options = shlex.split(words)
    model = (str(args.tree / "models" / f"{name}.mtf"), *options)
    found = layouts_of(model)
    ways = {"ranks": (on_ranks, ("-j", "1")), "simulated": ((), ("-j", str(args.ranks), "--replicas", "all"))}
    times = {way: [float("inf")] * len(found) for way in ways}
    for _ in range(args.rounds):
        for i, (_, file, more, _) in enumerate(found):
            for way, (prefix, options_of_way) in ways.items():
                took = measured(prefix, model, file, (*more, *options_of_way))
                times[way][i] = min(times[way][i], took)
    print(f"{words}, {args.ranks} processors, ms per step")
    print("  predicted     ranks simulated  layout")
    for i, (seconds, _, _, text) in enumerate(found):
        print(f"  {seconds * 1e3:9.2f} {times['ranks'][i] * 1e3:9.2f} {times['simulated'][i] * 1e3:9.2f}  {text}")
    for way in ways:
        kept, pairs = in_order(found, times[way])
        best, rest = min(times[way][:5]), min(times[way])
        print(f"  {way}: {kept} of {pairs} pairs in order; the fastest of the best five takes "
              f"{best / rest:.2f} of the fastest of all; the plan's first {times[way][0] / rest:.2f}", flush=True)


run(*on_ranks, args.mtfc, "bench-hardware", "-j", "1")
for words in args.model:
    compare(words)
