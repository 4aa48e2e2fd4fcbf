"""Plans and predictions beside published runs: python3 tests/bench/published_plans.py MTFC [runs|alpa|experts|wide|ablations] [SECONDS]

runs: four measured training runs of GPTs on A100s of 80 GB with one description of the machine (Korthikanti et
al., arXiv 2205.05198, Table 5), and what a plan of so many seconds chooses on the same processors, with what is computed again.
alpa: the GPTs of Alpa (Zheng et al., arXiv 2201.12023, section 8.1) on 4 to 64 V100s: the stages and micro-batches
that its suites publish, under the best split of a stage, and a plan; beside the throughput of its Figure 7.
experts: its mixtures of experts, planned, beside the throughput of Figure 7. Groups of tokens are sequences here, half
as long as there; seconds of what is published are FLOPs of this model, with layers computed again, over that throughput.
wide: its Wide-ResNets, planned for each number of micro-batches: statistics are those of one, as where they were run, so that a
plan does not choose it. Seconds of what is published are FLOPs of this model over the throughput of Figure 7.
ablations: the GPTs, planned with everything, without stages, with stages of one GPU alone, with the plan's stages
of equal layers, and data parallel with parameters kept three ways (what Figures 8 and 9 compare).

Writes rows of a Markdown table. Every figure is of `mtfc cost` or `mtfc plan`; nothing is run.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

mtfc, which = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "runs"
seconds = sys.argv[3] if len(sys.argv) > 3 else "60"
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
scratch = tempfile.mkdtemp()


def gpt(recompute):
    """models/gpt.mtf with layers computed again, or of attention what lies between its projections."""
    text = open(f"{root}/models/gpt.mtf").read()
    if recompute == "full":
        before, after = "  x = x + attention", "  recompute { x = x + attention"
        text = text.replace(before, after)
        line = next(l for l in text.splitlines() if l.startswith("  x = x + mlp"))
        text = text.replace(line, line + " }")
    if recompute == "selective":
        text = text.replace("  s = einsum(q, k", "  recompute {\n  s = einsum(q, k")
        text = text.replace("  return einsum(einsum(a, v over memory), wo",
                            "  o = einsum(a, v over memory)\n  }\n  return einsum(o, wo")
    assert recompute == "none" or "recompute {" in text
    path = f"{scratch}/{recompute}.mtf"
    open(path, "w").write(text)
    return path


# All these runs are older than attention without its scores in memory.
STORED = "set attention=stored\n"


def ask(command, *options):
    made = subprocess.run([mtfc, *command, *map(str, options), "--json"], capture_output=True, text=True)
    found = json.loads(made.stdout)
    return None if any(d["severity"] == "error" for d in found["diagnostics"]) else found


def cost(model, layout, *options):
    """Seconds of a step and bytes of the largest stage."""
    path = f"{scratch}/one.layout"
    open(path, "w").write(layout + "\n" + STORED)
    found = ask(("cost", model), *options, "--layout", path)
    if found is None:
        return None
    stages = found.get("stages")
    memory = max(s["memory"] for s in stages) if stages else found["memory"]["per_processor"]
    return found["step_seconds"], memory


def plan(model, processors, *options):
    """The plan and how long it took."""
    start = time.time()
    keep = f"{scratch}/keep.layout"
    open(keep, "w").write(STORED)
    found = ask(("plan", model), *options, "--processors", processors, "--time", seconds, "--keep", keep)
    return found, time.time() - start


def planned(found):
    best = found["best"]
    if not best:
        return "none fits", "-"
    stages = f"{best['stages']} stages of " if best["stages"] > 1 else ""
    mesh = best["mesh"] or "one"
    return f"{best['step_seconds']:.2f} s", f"{stages}{mesh}; {best['rules']}; {best['microbatches']} micro-batches"


def percent(one, other):
    return f"{100 * (one / other - 1):+.0f} %"


def sizes(width, layers, heads, length, batch):
    return ["-D", f"d_model={width}", "-D", f"layers={layers}", "-D", f"heads={heads}", "-D", f"length={length}",
            "-D", f"batch={batch}", "-D", "vocab=51200", "--set", "train.precision=f16"]


TENSOR = "heads:model; d_ff:model; vocab:model\n"
SEQUENCE = ('heads:model; d_ff:model; vocab:model\nin "layers.*" { length:model }\nin "layers.*.attn" { length:[] }\n'
            'in "layers.*.mlp" { length:[] }\nin "layers.*.mlp.down" { length:model }\n')


def runs():
    # name, width, layers, heads, processors, stages, chunks, batch, micro-batches, recompute, rules, seconds
    table = [("22B", 6144, 48, 64, 8, 1, 1, 4, 1, "full", TENSOR, 1.42),
             ("175B", 12288, 96, 96, 64, 8, 3, 64, 64, "selective", SEQUENCE, 13.75),
             ("530B", 20480, 105, 128, 280, 35, 3, 280, 280, "full", TENSOR, 49.05),
             ("1T", 25600, 128, 160, 512, 64, 1, 512, 512, "selective", SEQUENCE, 71.49)]
    print("| model | processors | stages x chunks | measured | predicted | off | memory | plan | bound | its layout |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, width, layers, heads, count, stages, chunks, batch, m, recompute, rules, measured in table:
        options = [*sizes(width, layers, heads, 2048, batch), "--hardware", "a100_80"]
        schedule = f"; schedule = interleaved; chunks = {chunks}" if chunks > 1 else ""
        pipeline = f'pipeline "layers.*" {{ stages = {stages}{schedule} }}\n' if stages > 1 else ""
        step, memory = cost(gpt(recompute), "mesh model=8\n" + rules + pipeline, *options,
                            "--set", f"train.microbatches={m}")
        found, _ = plan(gpt("none"), count, *options)
        took, layout = planned(found)
        held = f", {found['best']['memory'] / 1e9:.1f} GB" if found["best"] else ""
        print(f"| {name} | {count} | {stages} x {chunks} | {measured} s | {step:.2f} s | {percent(step, measured)} | "
              f"{memory / 1e9:.1f} GB | {took}{held} | {found['bound_seconds']:.1f} s | {layout} |", flush=True)


def alpa():
    # processors, width, layers, heads, micro-batches, stages, PFLOP/s of Figure 7
    table = [(4, 2048, 24, 32, 128, 2, None), (8, 2560, 32, 32, 128, 3, 0.48), (16, 4096, 32, 32, 64, 2, 0.96),
             (32, 5120, 48, 40, 128, 4, 1.90), (64, 8192, 48, 64, 1024, 16, 3.65)]
    print("| processors | published | its stages priced | off | plan | memory | in | bound | its layout |")
    print("|---|---|---|---|---|---|---|---|---|")
    model = gpt("full")
    for count, width, layers, heads, m, stages, rate in table:
        options = [*sizes(width, layers, heads, 1024, 1024), "--hardware", "v100"]
        flops = 96 * 1024 * 1024 * layers * width**2 * (1 + 1024 / (6 * width)) + 6 * 1024 * 1024 * width * 51200
        published = flops / rate / 1e15 if rate else None
        # Three stages on 2, 2 and 4 processors: meshes of stages are alike here.
        prices = []
        for data in [1, 2, 4, 8, 16] if count % stages == 0 else []:
            if count // stages % data == 0:
                model_size = count // stages // data
                layout = (f"mesh data={data}, model={model_size}\nbatch:data\n{TENSOR}"
                          f'pipeline "layers.*" {{ stages = {stages} }}\n')
                price = cost(model, layout, *options, "--set", f"train.microbatches={m}")
                if price:
                    prices.append((price[1] > 16e9, *price, f"{data} x {model_size}"))
        priced = min(prices) if prices else None
        found, took = plan(model, count, *options)
        limit = ""
        if not found["best"]:
            limit = " of 20"
            found, took = plan(model, count, *options, "--memory", "20GB")
        step, layout = planned(found)
        best = found["best"]
        text = f"{priced[1]:.1f} s, {priced[2] / 1e9:.1f} GB, {priced[3]}" if priced else "-"
        print(f"| {count} | {f'{published:.1f} s' if published else '-'} | {text} | "
              f"{percent(priced[1], published) if priced and published else '-'} | {step} | "
              f"{best['memory'] / 1e9 if best else 0:.1f}{limit} GB | {took:.0f} s | {found['bound_seconds'] or 0:.1f} s | {layout} |",
              flush=True)


def experts():
    # processors, width, layers, experts, PFLOP/s of Figure 7
    table = [(4, 768, 16, 16, None), (8, 1024, 16, 16, 0.37), (16, 1536, 16, 32, 0.72), (32, 2048, 16, 48, 1.23),
             (64, 2048, 32, 64, 2.33)]
    print("| processors | parameters | published | plan | memory | in | bound | its layout |")
    print("|---|---|---|---|---|---|---|---|")
    model = f"{root}/models/moe.mtf"
    for count, width, layers, number, rate in table:
        options = ["-D", f"d_model={width}", "-D", "heads=16", "-D", "d_ff=8*d_model", "-D", f"pairs={layers // 2}",
                   "-D", f"experts={number}", "-D", f"capacity={-(-2 * 1024 // number)}", "-D", "length=1024",
                   "-D", "batch=1024", "-D", "vocab=32000", "--set", "train.precision=f16"]
        whole = ask(("cost", model), *options)
        published = 4 / 3 * whole["flops"]["total"] / rate / 1e15 if rate else None
        found, took = plan(model, count, *options, "--hardware", "v100")
        step, layout = planned(found)
        best = found["best"]
        print(f"| {count} | {whole['parameters'] / 1e9:.2f} billion | {f'{published:.1f} s' if published else '-'} | {step} | "
              f"{best['memory'] / 1e9 if best else 0:.1f} GB | {took:.0f} s | {found['bound_seconds'] or 0:.1f} s | {layout} |",
              flush=True)


def wide():
    # processors, channels, width of the middle, third blocks of a stage, images of a step, PFLOP/s of Figure 7
    table = [(4, 320, 2, 5, 1536, None), (8, 448, 2, 5, 1536, 0.065), (16, 640, 2, 5, 1536, 0.105),
             (32, 320, 16, 5, 1536, 0.21), (64, 320, 16, 22, 1520, 0.335)]
    print("| processors | parameters | published | plan | memory | in | bound | its layout |")
    print("|---|---|---|---|---|---|---|---|")
    model = f"{root}/models/resnet.mtf"
    for count, filters, width, third, images, rate in table:
        options = ["-D", f"filters={filters}", "-D", f"width={width}", "-D", f"blocks3={third}", "-D", f"batch={images}",
                   "-D", "row=224", "-D", "col=224", "-D", "channel=3", "-D", "class=1024"]
        whole = ask(("cost", model), *options)
        published = whole["flops"]["total"] / rate / 1e15 if rate else None
        found, took = {"best": None, "bound_seconds": 0}, 0
        for m in [microbatches for microbatches in (24, 38, 48, 95, 96, 190, 192) if images % microbatches == 0]:
            one, seconds_of_it = plan(model, count, *options, "--hardware", "v100", "--set", f"train.microbatches={m}")
            took += seconds_of_it
            if one["best"] and (not found["best"] or one["best"]["step_seconds"] < found["best"]["step_seconds"]):
                found = one
        step, layout = planned(found)
        best = found["best"]
        print(f"| {count} | {whole['parameters'] / 1e9:.2f} billion | {f'{published:.1f} s' if published else '-'} | {step} | "
              f"{best['memory'] / 1e9 if best else 0:.1f} GB | {took:.0f} s | {found['bound_seconds'] or 0:.1f} s | {layout} |",
              flush=True)


def fastest(model, layouts, memory, *options):
    """The least seconds of those that fit; else the least bytes, as text."""
    prices = [price for layout, m in layouts
              if (price := cost(model, layout, *options, "--set", f"train.microbatches={m}"))]
    fitting = [step for step, held in prices if held <= memory]
    if fitting:
        return min(fitting), f"{min(fitting):.1f} s"
    return float("inf"), f"{min(held for _, held in prices) / 1e9:.0f} GB" if prices else "-"


def ablations():
    table = [(4, 2048, 24, 32), (8, 2560, 32, 32), (16, 4096, 32, 32), (32, 5120, 48, 40)]
    names = ["plan", "intra only", "inter only", "equal layers", "data parallel", "ZeRO-2", "ZeRO-3"]
    print("| processors | " + " | ".join(names) + " | order |")
    print("|---" * (len(names) + 2) + "|")
    model, memory = gpt("full"), 16e9
    for count, width, layers, heads in table:
        options = [*sizes(width, layers, heads, 1024, 1024), "--hardware", "v100"]
        powers = [1 << i for i in range(11)]
        best = plan(model, count, *options)[0]["best"]
        intra = plan(model, count, *options, "--stages", "1")[0]["best"]
        found = [(one["step_seconds"], f"{one['step_seconds']:.1f} s") if one else (float("inf"), "none fits")
                 for one in (best, intra)]
        alone = f'pipeline "layers.*" {{ stages = {count} }}\n'
        found.append(fastest(model, [(alone, m) for m in powers if m >= count], memory, *options))
        if best and best["stages"] > 1:
            rules = re.sub(r"stages = [^;}]*[^;} ].*}", f"stages = {best['stages']} }}", best["rules"])
            equal = (f"mesh {best['mesh']}\n" if best["mesh"] else "") + rules
            found.append(fastest(model, [(equal, best["microbatches"])], memory, *options))
        else:
            found.append((float("inf"), "-"))
        for kept in ["", "set update=sharded\n", 'param "**" { d_model:all }\n']:
            found.append(fastest(model, [(f"mesh all={count}\nbatch:all\n{kept}", m) for m in powers if m * count <= 1024],
                                 memory, *options))
        order = sorted((seconds, name) for (seconds, _), name in zip(found, names) if seconds < float("inf"))
        print(f"| {count} | " + " | ".join(text for _, text in found) + " | " +
              ", ".join(name for _, name in order) + " |", flush=True)


{"runs": runs, "alpa": alpa, "experts": experts, "wide": wide, "ablations": ablations}[which]()
