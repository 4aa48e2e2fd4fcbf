#!/usr/bin/python3
"""The whole GPT against PyTorch: loss and the gradient of every parameter, in double precision.

usage: gpt_gradients.py MTFC MODEL TEXT [option of mtfc run ...]
Needs NumPy and PyTorch (Debian: python3-numpy python3-torch). Ends with status 77 without them.
"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
    import torch.nn.functional as F
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

BOUND = 1e-6  # max|a-b| <= BOUND * max|b|, per parameter


def parameter_names(layers):
    names = ["wte", "wpe", "lnf.g", "lnf.b"]
    for i in range(layers):
        at = f"layers.{i}."
        names += [at + "attn." + w for w in ("wq", "wk", "wv", "wo")]
        names += [at + ln + "." + p for ln in ("ln1", "ln2") for p in ("g", "b")]
        names += [at + "mlp." + d + "." + p for d in ("up", "down") for p in ("w", "b")]
    return names


def layer_norm(x, p, name):
    return F.layer_norm(x, x.shape[-1:], p[name + ".g"], p[name + ".b"], 1e-5)


def attention(x, p, at):
    q, k, v = (torch.einsum("bld,dhe->bhle", x, p[at + w]) for w in ("wq", "wk", "wv"))
    s = torch.einsum("bhle,bhme->bhlm", q, k) / q.shape[-1] ** 0.5
    mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
    a = torch.softmax(s.masked_fill(~mask, -1e9), -1)
    return torch.einsum("bhle,hed->bld", torch.einsum("bhlm,bhme->bhle", a, v), p[at + "wo"])


def gpt_loss(p, tok, nxt, layers):
    x = p["wte"][tok] + p["wpe"]
    for i in range(layers):
        at = f"layers.{i}."
        x = x + attention(layer_norm(x, p, at + "ln1"), p, at + "attn.")
        h = layer_norm(x, p, at + "ln2") @ p[at + "mlp.up.w"] + p[at + "mlp.up.b"]
        x = x + F.gelu(h, approximate="tanh") @ p[at + "mlp.down.w"] + p[at + "mlp.down.b"]
    logits = layer_norm(x, p, "lnf") @ p["wte"].T
    return F.cross_entropy(logits.flatten(0, 1), nxt.flatten())


def main():
    mtfc, model, text, *options = sys.argv[1:]
    layers = 4
    for option in options:
        if option.startswith("layers="):
            layers = int(option.split("=")[1])
    names = parameter_names(layers)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "gpt.npz")
        subprocess.run([mtfc, "run", model, "tok", "nxt", *names, "--gradients", "--training",
                        "--set", "train.precision=f64", "--set", f"data.text={text}",
                        "-o", out, *options], check=True)
        got = dict(np.load(out))
    p = {n: torch.tensor(got[n], dtype=torch.float64, requires_grad=True) for n in names}
    loss = gpt_loss(p, torch.tensor(got["tok"]).long(), torch.tensor(got["nxt"]).long(), layers)
    loss.backward()
    worst = 0.0
    for name in names:
        ours, theirs = got["grad." + name], p[name].grad.numpy()
        off = np.abs(ours - theirs).max() / np.abs(theirs).max()
        worst = max(worst, off)
        if not off <= BOUND:
            print(f"FAILED {name}: {off:.3g}")
    print(f"{len(names)} parameters, {sum(v.numel() for v in p.values())} elements, "
          f"loss {loss.item():.12f}, largest difference {worst:.3g} of the largest gradient")
    sys.exit(0 if worst <= BOUND else 1)


if __name__ == "__main__":
    main()
