#!/usr/bin/env python3
"""Steps of models in PyTorch on one GPU, and what `mtfc cost` predicts for them.

usage: gpu_steps.py measure CASES > FILE        on the GPU: needs PyTorch with CUDA
       gpu_steps.py compare MTFC HARDWARE FILE  anywhere: prints both, with products and copies by size

CASES is `sizes` (GPTs of several), `choices` (one model with micro-batches and layers that are computed again),
`kinds` (other models), or several with commas between. Models are models/*.mtf in bf16 with parameters of f32, as
`torch.compile` makes them: attention by PyTorch's own kernel, fused optimisers, gradients clipped where the model says
so. A step is the middle one of 20.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

LARGE = {"layers": 24, "d_model": 1024, "heads": 16, "batch": 16, "length": 1024, "vocab": 50304}
WIDE = {"layers": 16, "d_model": 2048, "heads": 16, "batch": 8, "length": 2048, "vocab": 50304}
IMAGES = {"row": 224, "col": 224, "channel": 3, "class": 1000}
# model, sizes, layers of which are computed again, micro-batches
CASES = {
    "sizes": [("gpt", LARGE | {"layers": 4, "d_model": 512, "heads": 8, "length": 256}, 0, 1),
              ("gpt", LARGE | {"layers": 12, "d_model": 768, "heads": 12, "batch": 32}, 0, 1),
              ("gpt", LARGE, 0, 1),
              ("gpt", WIDE, 0, 1),
              ("gpt", WIDE | {"layers": 8, "d_model": 4096, "heads": 32, "batch": 4}, 0, 1)],
    "choices": [("gpt", LARGE, 0, 1),
                ("gpt", LARGE, 24, 1),
                ("gpt", LARGE, 12, 1),
                ("gpt", LARGE | {"batch": 32}, 24, 1),
                ("gpt", LARGE, 0, 4),
                ("gpt", LARGE | {"batch": 64}, 0, 4)],
    "kinds": [("llama", WIDE | {"kv_heads": 4, "d_ff": 5632, "vocab": 32000}, 0, 1),
              ("resnet", IMAGES | {"batch": 256, "filters": 64}, 0, 1),
              ("moe", {"pairs": 6, "d_model": 1024, "heads": 16, "experts": 8, "batch": 16, "length": 1024,
                       "vocab": 32000}, 0, 1),
              ("resnet", IMAGES | {"batch": 64, "filters": 160, "width": 2}, 0, 1)]}
PRODUCTS = [(n, n, n) for n in (512, 1024, 2048, 4096, 8192)] + [
    (32768, 768, 768), (32768, 3072, 768), (768, 3072, 32768), (16384, 2048, 2048), (16384, 8192, 2048),
    (8192, 16384, 4096), (8192, 50304, 4096)]
COPIES = [1e6, 10e6, 100e6, 1e9]  # bytes read, as many written


def seconds(run, times):
    """The middle one of so many runs, after five."""
    import torch

    for _ in range(5):
        run()
    taken = []
    for _ in range(times):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        end.synchronize()
        taken.append(begin.elapsed_time(end) / 1e3)
    return statistics.median(taken)


def repeated(run, count=20):
    """Seconds of one run of several, which hides what starting the first kernel takes."""
    def several():
        for _ in range(count):
            run()
    return seconds(several, 10) / count


def step_of(kind, sizes, again, micro):
    import gpu_models
    import torch

    sizes = dict(sizes)
    batch, images, length = sizes.pop("batch"), kind == "resnet", sizes.get("length")
    for name in IMAGES if images else ():
        sizes.pop(name)
    model = getattr(gpu_models, kind)(**sizes, **({"again": again} if again else {})).cuda()
    part = batch // micro
    if images:
        model = model.to(memory_format=torch.channels_last)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4, fused=True)
        inputs = (torch.randn(part, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last),
                  torch.randint(IMAGES["class"], (part,), device="cuda"))
    else:
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
        inputs = torch.randint(sizes["vocab"], (2, part, length), device="cuda").unbind()
    compiled = torch.compile(model)

    def step():
        for _ in range(micro):
            with torch.autocast("cuda", torch.bfloat16):
                loss = compiled(*inputs)
            (loss / micro).backward()
        if kind in ("gpt", "llama"):
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

    torch.cuda.reset_peak_memory_stats()
    taken = seconds(step, 20)
    return {"seconds": taken, "memory": torch.cuda.max_memory_allocated()}


def measure(groups):
    import torch

    products, copies, steps = [], [], []
    for m, n, k in PRODUCTS:
        a, b = (torch.randn(s, device="cuda", dtype=torch.bfloat16) for s in ((m, k), (k, n)))
        products.append({"m": m, "n": n, "k": k, "seconds": repeated(lambda: a @ b)})
    for size in COPIES:
        a = torch.randn(int(size) // 4, device="cuda")
        b = torch.empty_like(a)
        copies.append({"bytes": size, "seconds": repeated(lambda: b.copy_(a))})
    found = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "products": products, "copies": copies,
             "steps": steps}
    for kind, sizes, again, micro in (case for group in groups for case in CASES[group]):
        case = {"model": kind, "sizes": sizes, "again": again, "micro": micro}
        try:
            steps.append(case | step_of(kind, sizes, again, micro))
        except RuntimeError as problem:  # the others are worth having
            print(f"{case}: {problem}", file=sys.stderr)
        torch._dynamo.reset()
        torch.cuda.empty_cache()
        print(json.dumps(found), flush=True)  # the last line is whole


def predicted(mtfc, hardware, step):
    tree = os.path.join(os.path.dirname(__file__), "..", "..")
    words = [w for name, size in step["sizes"].items() for w in ("-D", f"{name}={size}")]
    with tempfile.NamedTemporaryFile("w", suffix=".layout") as layout:
        again, micro = step["again"], step["micro"]
        layout.write("mesh all=1\n" + (f"set recompute=full:{again}\n" if again else ""))
        layout.flush()
        made = subprocess.run([mtfc, "cost", os.path.join(tree, "models", step["model"] + ".mtf"), *words, "--layout",
                               layout.name, "--set", "train.precision=bf16", "--set", f"train.microbatches={micro}",
                               "--hardware", hardware, "--json"], capture_output=True, text=True)
    return json.loads(made.stdout)


def compare(mtfc, hardware, file):
    with open(file) as lines:
        found = json.loads(lines.read().strip().splitlines()[-1])
    print(f"{found['device']}, PyTorch {found['torch']}, beside {hardware}")
    for p in found["products"]:
        print(f"  {p['m']} x {p['n']} x {p['k']}: {2e-12 * p['m'] * p['n'] * p['k'] / p['seconds']:.0f} TFLOP/s")
    for c in found["copies"]:
        print(f"  copy of {c['bytes'] / 1e6:.0f} MB: {2e-9 * c['bytes'] / c['seconds']:.0f} GB/s read and written")
    for s in found["steps"]:
        cost = predicted(mtfc, hardware, s)
        step, memory = cost["step_seconds"], cost["memory"]["per_processor"]
        sizes = " ".join(f"{name}={size}" for name, size in s["sizes"].items())
        print(f"  {s['model']} {sizes}, {s['again']} again, {s['micro']} micro-batches: {1e3 * s['seconds']:.2f} ms, "
              f"predicted {1e3 * step:.2f} ({step / s['seconds']:.2f}); "
              f"{s['memory'] / 1e9:.1f} GB, predicted {memory / 1e9:.1f}")


if len(sys.argv) == 3 and sys.argv[1] == "measure" and all(group in CASES for group in sys.argv[2].split(",")):
    measure(sys.argv[2].split(","))
elif len(sys.argv) == 5 and sys.argv[1] == "compare":
    compare(*sys.argv[2:])
else:
    sys.exit(__doc__)
