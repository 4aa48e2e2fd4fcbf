#!/usr/bin/env python3
"""verify over every shipped model x layout x random meshes: a legal case must pass.

    MTFC=build/mtfc tests/bench/verify_meshes.py [--cases N] [--seed N] [--jobs N] [--only MODEL]

Each case is a model of small sizes, one of its layouts, sizes of the mesh's axes, and at random the
precision, `set wire=bf16`, `set update=sharded` and micro-batches. What `check` refuses is another
layout, not a case. Prints what did not pass, with the command, and the counts.
"""
import argparse, concurrent.futures, json, os, pathlib, random, re, subprocess, sys, tempfile

tree = pathlib.Path(__file__).resolve().parents[2]
data = tree / "models" / "data"
mtfc = os.environ.get("MTFC", str(tree / "build" / "mtfc"))

# Sizes that 2, 3, 4 and 6 divide.
lm = ["batch=12", "length=24", "layers=1", "d_model=48", "vocab=48"]
sizes = {
    "two_layer": ["batch=24", "io=24", "hidden=24"],
    "mnist": ["batch=24", "hidden1=24", "hidden2=48"],
    "resnet": ["batch=12", "filters=12", "blocks1=1", "blocks2=1", "blocks3=1", "blocks4=1"],
    "gpt": lm + ["heads=12"],
    "llama": ["batch=12", "length=24", "layers=1", "d_model=48", "d_ff=48", "heads=12", "kv_heads=6", "vocab=36"],
    "grouped_queries": ["batch=12", "length=24", "layers=1", "d_model=48", "heads=6", "vocab=36"],
    "distillation": ["batch=12", "length=24", "vocab=36", "teacher_model=48", "teacher_ff=48", "teacher_heads=12",
                     "teacher_head=4", "student_model=24", "student_ff=24", "student_heads=6", "student_head=4"],
    "t5_bias": ["batch=12", "length=24", "layers=1", "d_model=48", "heads=12", "vocab=36"],
    "packed_lm": ["batch=12", "length=24", "layers=1", "d_model=48", "heads=12", "vocab=72"],
    "local_attention": ["batch=12", "length=96", "window=8", "layers=1", "d_model=48", "heads=12", "vocab=36"],
    "moe": ["batch=12", "length=24", "pairs=1", "d_model=48", "heads=12", "experts=12", "vocab=36"],
    "number_words": ["batch=12", "source=12", "target=6", "layers=1", "d_model=48", "heads=12", "d_ff=48"],
    "transformer_lm": lm + ["d_ff=48", "heads=12", "d_head=4"],
    "transformer_mt": ["batch=12", "source=12", "target=6", "vocab=48", "layers=1", "d_model=48", "d_ff=48",
                       "heads=12", "d_head=4"],
    "bert": ["batch=12", "length=24", "vocab=72", "mask_id=4", "layers=1", "d_model=48", "heads=12", "positions=48"],
}
texts = {
    "gpt": f'data.text=chars("{data}/stories.txt")',
    "transformer_lm": f'data.text=chars("{data}/stories.txt")',
    "transformer_mt": f'data.pairs=tsv("{data}/number_words.tsv")',
    "bert": f'data.pairs=bert_pairs("{data}/stories.txt", vocab="{data}/stories.vocab")',
}


def cases(count, seed, only, folder):
    """The first `count` random cases, round-robin over models and layouts."""
    layouts = sorted((tree / "models" / "layouts").glob(f"{only}/*.layout"))
    draw = random.Random(seed)
    for number in range(count):
        layout = layouts[number % len(layouts)]
        model = layout.parent.name
        text = layout.read_text()
        for line, chance in (("set wire=bf16", 0.15), ("set update=sharded", 0.15)):
            if draw.random() < chance and line.split("=")[0] not in text:
                text += line + "\n"
        file = folder / f"{model}.{layout.stem}.{number}.layout"
        file.write_text(text)
        axes = re.findall(r"(\w+)=\d+", "".join(re.findall(r"^mesh .*$", text, re.M))) or ["all"]
        while True:
            mesh = {axis: draw.choice([1, 2, 2, 3, 4, 6, 8]) for axis in axes}
            processors = 1
            for size in mesh.values():
                processors *= size
            if 1 < processors <= 24:
                break
        words = [f"models/{model}.mtf", "--layout", str(file), "-j", "1",
                 "--mesh", ";".join(f"{a}:{n}" for a, n in mesh.items())]
        for size in sizes[model]:
            words += ["-D", size]
        if model in texts:
            words += ["--set", texts[model]]
        precision = draw.choice(["f32"] * 6 + ["bf16", "f16", "f64"])
        words += ["--set", f"train.precision={precision}", "--steps", str(draw.choice([1, 1, 2, 3]))]
        words += ["--seed", str(draw.randrange(1000))]
        if draw.random() < 0.1:
            words += ["--set", "train.microbatches=2"]
        yield words


def run(words):
    done = subprocess.run([mtfc, "verify", *words, "--json"], cwd=tree, capture_output=True, text=True)
    try:
        rows = json.loads(done.stdout).get("differences", [])
    except ValueError:
        rows = []
    return words, done.returncode, rows, done.stdout[:600] + done.stderr[:600]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--cases", type=int, default=2000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--only", default="*")
    options.add_argument("--verbose", action="store_true")
    given = options.parse_args()
    count = {"passed": 0, "refused": 0, "differ": 0, "failed": 0}
    closest, rounding, models = 0, 0, {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        made = list(cases(given.cases, given.seed, given.only, pathlib.Path(folder)))
        for words, status, rows, text in pool.map(run, made):
            kind = {0: "passed", 1: "refused", 3: "differ"}.get(status, "failed")
            if kind == "differ" and not rows:
                kind = "failed"
            count[kind] += 1
            if kind == "passed":
                models[words[0]] = models.get(words[0], 0) + 1
                rounding += any(row.get("verdict") == "rounding" for row in rows)
                for row in rows:
                    far, allowed = row["f64"]["absolute"], row["f64"]["allowed"]
                    if far:
                        closest = max(closest, far / allowed)
            if kind in ("differ", "failed") or given.verbose and kind == "refused":
                print(kind, f"(status {status}):", " ".join(f"'{w}'" if " " in w or ";" in w else w for w in words))
                for row in rows:
                    if not row["ok"]:
                        print("   ", row["name"], "f64", row["f64"], "own", row["absolute"], row["relative"])
                if not rows:
                    print("   ", text)
                sys.stdout.flush()
    legal = count["passed"] + count["differ"] + count["failed"]
    print(f"{legal} legal cases of {given.cases}: {count['passed']} passed ({rounding} of them with differences that "
          f"f64 shows to be rounding), {count['differ']} differ, {count['failed']} failures")
    print(f"nearest to the bound: {closest:.2g} of it;",
          ", ".join(f"{pathlib.Path(m).stem} {n}" for m, n in sorted(models.items())))
    sys.exit(1 if count["differ"] + count["failed"] else 0)


if __name__ == "__main__":
    main()
