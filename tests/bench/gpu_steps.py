#!/usr/bin/env python3
"""Steps of GPTs in PyTorch on one GPU, and what `mtfc cost` predicts for them.

usage: gpu_steps.py measure > FILE              on the GPU: needs PyTorch with CUDA
       gpu_steps.py compare MTFC HARDWARE FILE  anywhere: prints both, with products and copies by size

The model is models/gpt.mtf in bf16 with parameters of f32, as `torch.compile` makes it: attention by PyTorch's own
kernel, fused AdamW, gradients clipped. A step is the middle one of 20.
"""
import json
import os
import statistics
import subprocess
import sys

# layers, d_model, heads, batch, length
MODELS = [(4, 512, 8, 16, 256), (12, 768, 12, 32, 1024), (24, 1024, 16, 16, 1024), (16, 2048, 16, 8, 2048),
          (8, 4096, 32, 4, 2048)]
VOCAB = 50304
PRODUCTS = [(n, n, n) for n in (512, 1024, 2048, 4096, 8192)] + [
    (32768, 768, 768), (32768, 3072, 768), (768, 3072, 32768), (16384, 2048, 2048), (16384, 8192, 2048),
    (8192, 16384, 4096), (8192, 50304, 4096)]
COPIES = [1e6, 10e6, 100e6, 1e9]  # bytes read, as many written


def measure():
    import torch
    import torch.nn.functional as F
    from torch import nn

    def seconds(run, times):
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

    def repeated(run, count=20):  # hides what starting the first kernel takes
        def several():
            for _ in range(count):
                run()
        return seconds(several, 10) / count

    class Layer(nn.Module):
        def __init__(self, d, heads):
            super().__init__()
            self.heads = heads
            self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
            self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=False) for _ in range(4))
            self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

        def forward(self, x):
            b, t, d = x.shape
            h = self.ln1(x)
            q, k, v = (w(h).view(b, t, self.heads, -1).transpose(1, 2) for w in (self.q, self.k, self.v))
            a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.o(a.transpose(1, 2).reshape(b, t, d))
            return x + self.down(F.gelu(self.up(self.ln2(x)), approximate="tanh"))

    class Gpt(nn.Module):
        def __init__(self, layers, d, heads, length):
            super().__init__()
            self.wte, self.wpe = nn.Embedding(VOCAB, d), nn.Embedding(length, d)
            self.layers = nn.ModuleList(Layer(d, heads) for _ in range(layers))
            self.ln = nn.LayerNorm(d)

        def forward(self, tok, nxt):
            x = self.wte(tok) + self.wpe.weight
            for layer in self.layers:
                x = layer(x)
            logits = F.linear(self.ln(x), self.wte.weight)
            return F.cross_entropy(logits.float().flatten(0, 1), nxt.flatten())

    def step_of(layers, d, heads, batch, length):
        model = Gpt(layers, d, heads, length).cuda()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
        compiled = torch.compile(model)
        tok, nxt = torch.randint(VOCAB, (2, batch, length), device="cuda")

        def step():
            with torch.autocast("cuda", torch.bfloat16):
                loss = compiled(tok, nxt)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()

        torch.cuda.reset_peak_memory_stats()
        taken = seconds(step, 20)
        return {"seconds": taken, "memory": torch.cuda.max_memory_allocated()}

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
    for sizes in MODELS:
        steps.append(dict(zip(("layers", "d_model", "heads", "batch", "length"), sizes)) | step_of(*sizes))
        torch.cuda.empty_cache()
        print(json.dumps(found), flush=True)  # the last line is whole


def compare(mtfc, hardware, file):
    with open(file) as lines:
        found = json.loads(lines.read().strip().splitlines()[-1])
    print(f"{found['device']}, PyTorch {found['torch']}, beside {hardware}")
    for p in found["products"]:
        print(f"  {p['m']} x {p['n']} x {p['k']}: {2e-12 * p['m'] * p['n'] * p['k'] / p['seconds']:.0f} TFLOP/s")
    for c in found["copies"]:
        print(f"  copy of {c['bytes'] / 1e6:.0f} MB: {2e-9 * c['bytes'] / c['seconds']:.0f} GB/s read and written")
    model = os.path.join(os.path.dirname(__file__), "..", "..", "models", "gpt.mtf")
    for s in found["steps"]:
        sizes = [f"{name}={s[name]}" for name in ("layers", "d_model", "heads", "batch", "length")] + [f"vocab={VOCAB}"]
        made = subprocess.run([mtfc, "cost", model, *(w for one in sizes for w in ("-D", one)), "--set",
                               "train.precision=bf16", "--hardware", hardware, "--json"], capture_output=True, text=True)
        cost = json.loads(made.stdout)
        step, memory = cost["step_seconds"], cost["memory"]["per_processor"]
        print(f"  {' '.join(sizes)}: {1e3 * s['seconds']:.2f} ms, predicted {1e3 * step:.2f} ({step / s['seconds']:.2f}); "
              f"{s['memory'] / 1e9:.1f} GB, predicted {memory / 1e9:.1f}")


if sys.argv[1:] == ["measure"]:
    measure()
elif len(sys.argv) == 5 and sys.argv[1] == "compare":
    compare(*sys.argv[2:])
else:
    sys.exit(__doc__)
