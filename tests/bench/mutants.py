#!/usr/bin/env python3
"""Mistakes planted in the programs of every shipped model: how many does `verify` find?

    MUTANTS=build/mtfc_mutants tests/bench/mutants.py [--every N] [--others N] [--staged N] [--only MODEL] -o FOLDER

Each model under one of its layouts with every N-th mutant (1), under its others with every N-th (25), and some in
two stages of a pipeline with every N-th (25).
FOLDER gets the survivors of each run, a line each. Prints a table and what the survivors are.
"""
import argparse, collections, os, pathlib, re, subprocess, sys

from verify_meshes import sizes, texts, tree

mutants = os.environ.get("MUTANTS", str(tree / "build" / "mtfc_mutants"))
# Those with the most kinds of instructions.
whole = {
    "two_layer": "dp_mp_3d", "mnist": "dp_mp", "gpt": "fsdp_tp_seq", "llama": "fsdp_tp_seq",
    "grouped_queries": "queries", "distillation": "dp_mp", "t5_bias": "dp_mp", "packed_lm": "dp_mp",
    "local_attention": "blocks", "moe": "ep_tp", "number_words": "dp_mp", "transformer_lm": "tp_seq", "transformer_mt": "dp_mp",
    "bert": "fsdp_tp_seq",
}
# A layout, and what makes stages of it: no shipped layout has any.
staged = [
    ("gpt", "fsdp_tp_seq", "stages = 2"), ("gpt", "dp_mp", "stages = 2; chunks = 2"),
    ("gpt", "tp_seq", "stages = 2; {0} = 2+1"), ("llama", "fsdp_tp_seq", "stages = 2; schedule = gpipe"),
    ("bert", "fsdp_tp_seq", "stages = 2"), ("t5_bias", "dp_mp", "stages = 2"), ("packed_lm", "dp_mp", "stages = 2"),
]
blocks = {"packed_lm": "decoder.layers.*"}  # of which stages are made, where they are not `layers.*`
kinds = ("verifier", "comparison", "check", "effect", "NOT")


def axes_of(text):
    return re.findall(r"(\w+)=\d+", "".join(re.findall(r"^mesh .*$", text, re.M))) or ["all"]


def add_stages(layout, fields, folder):
    """The layout with a pipeline, as a file of its own."""
    text = layout.read_text()
    file = folder / f"{layout.parent.name}.{layout.stem}.{re.sub('[^a-z0-9]+', '_', fields)}.layout"
    path = blocks.get(layout.parent.name, "layers.*")
    file.write_text(text + f'\npipeline "{path}" {{ {fields.format(*axes_of(text))} }}\n')
    return file


def run(model, layout, every, folder, more=()):
    survivors = folder / f"{model}.{layout.stem}.txt"
    words = [mutants, "--every", str(every), "--survivors", str(survivors), f"models/{model}.mtf"]
    words += ["--layout", str(layout), "--mesh", ";".join(f"{axis}:2" for axis in axes_of(layout.read_text()))]
    for size in sizes[model]:
        words += ["-D", size]
    if model in texts:
        words += ["--set", texts[model]]
    words += more
    done = subprocess.run(words, cwd=tree, capture_output=True, text=True)
    counts = collections.Counter()
    for kind in kinds:
        for number in re.findall(rf"^ *(\d+)  .*{kind}", done.stdout, re.M):
            counts[kind] += int(number)
    if not counts:
        print(done.stdout, done.stderr)
    return counts, done.returncode, survivors


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--others", type=int, default=25)
    options.add_argument("--staged", type=int, default=25)
    options.add_argument("--only", default="*")
    options.add_argument("-o", "--out", required=True)
    given = options.parse_args()
    folder = pathlib.Path(given.out).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    total, worst, survivors = collections.Counter(), 0, []
    layouts = sorted((tree / "models" / "layouts").glob(f"{given.only}/*.layout"))
    cases = []
    for layout in layouts:
        model = layout.parent.name
        cases.append((model, layout, given.every if whole[model] == layout.stem else given.others, ()))
        for _, _, fields in [case for case in staged if case[:2] == (model, layout.stem)]:
            more = ("-D", "layers=4" if "chunks" in fields else "layers=2", "--set", "train.microbatches=2")
            cases.append((model, add_stages(layout, fields, folder), given.staged, more))
    print(f"{'':48}{'':>8}" + "".join(f"{kind:>12}" for kind in kinds))
    for model, layout, every, more in cases:
        if every == 0:
            continue
        counts, status, file = run(model, layout, every, folder, more)
        worst = max(worst, status)
        total += counts
        survivors.append(file)
        print(f"{model + ' ' + layout.stem.removeprefix(model + '.'):48}{sum(counts.values()):8}" +
              "".join(f"{counts[kind]:12}" for kind in kinds), "" if status == 0 else f"status {status}", flush=True)
    found = total["verifier"] + total["comparison"] + total["check"]
    print(f"{sum(total.values())} mutants: {found + total['NOT']} with an effect, {found} of them found; "
          f"{total['effect']} give the same bits")
    groups = collections.Counter()
    for file in survivors:
        for line in file.read_text().splitlines() if file.exists() else []:
            fate, program, what, _, instruction = line.split("\t")
            name = re.search(r"(?:= |^)(\w+)", instruction.split(" = ", 1)[-1])[1]
            groups[fate, name, re.sub(r"\[\d+\]", "", what)] += 1
    for (fate, name, what), count in sorted(groups.items(), key=lambda group: (group[0][0], -group[1])):
        print(f"{count:6}  {fate}  {name}: {what}")
    sys.exit(worst)


main()
