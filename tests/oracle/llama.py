#!/usr/bin/python3
"""Llama against NumPy: logits, loss and the gradient of every parameter, in double precision.

usage: llama.py MTFC MODELS
Needs NumPy (Debian: python3-numpy). Ends with status 77 without it.

The reference has no backward pass. Its derivative along a direction v is the imaginary part of
loss(p + i h v) / h with a tiny h, exact to rounding; the gradient of mtfc, multiplied with v, must be
that number. Several random directions for each parameter leave no element out.
"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

BOUND = 1e-9  # of values: max|a-b| <= BOUND * max|b|; of gradients: |g v - derivative| <= BOUND * |g|
DIRECTIONS = 3
TINY = 1e-40


# --- the reference: positions in the last dimension but one ----------------------------------------


def rms_norm(x, gain, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * gain


def rotary(x, at, base):
    """x[..., positions, d]: elements i and i + d / 2 are the coordinates that are rotated."""
    half = x.shape[-1] // 2
    angle = np.outer(at, [base ** (-2.0 * i / x.shape[-1]) for i in range(half)])
    cos, sin = np.cos(angle), np.sin(angle)
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * cos - second * sin, first * sin + second * cos], -1)


def swiglu(x, wi, gate, wo):
    g = x @ gate
    return (g / (1 + np.exp(-g)) * (x @ wi)) @ wo


def softmax(x):
    e = np.exp(x - x.real.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attention(x, p, at, base):
    """One head of queries after the other; queries[d, kv, group, e], keys and values[d, kv, e]."""
    wq, wk, wv, wo = (p[at + w] for w in ("wq", "wk", "wv", "wo"))
    positions = np.arange(x.shape[1])
    ahead = positions[:, None] < positions[None, :]
    out = 0
    for kv in range(wq.shape[1]):
        k, v = rotary(x @ wk[:, kv], positions, base), x @ wv[:, kv]
        for group in range(wq.shape[2]):
            q = rotary(x @ wq[:, kv, group], positions, base)
            scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
            out = out + softmax(np.where(ahead, -np.inf, scores)) @ v @ wo[kv, group]
    return out


def logits_of(p, tok, layers, base, eps):
    x = p["embed.table"][tok]
    for i in range(layers):
        at = f"layers.{i}."
        x = x + attention(rms_norm(x, p[at + "ln1.g"], eps), p, at + "attn.", base)
        x = x + swiglu(rms_norm(x, p[at + "ln2.g"], eps), p[at + "ffn.wi.w"], p[at + "ffn.wi.g"],
                       p[at + "ffn.wo.w"])
    return rms_norm(x, p["lnf.g"], eps) @ p["logits.w"]


def loss_of(logits, nxt):
    shifted = logits - logits.real.max(-1, keepdims=True)
    right = np.take_along_axis(shifted, nxt[..., None], -1)[..., 0]
    return (np.log(np.exp(shifted).sum(-1)) - right).mean()


# --- comparisons -------------------------------------------------------------------------------------


def run(mtfc, model, names, options):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.npz")
        done = subprocess.run([mtfc, "run", model, *names, "--gradients", "--training",
                               "--set", "train.precision=f64", "-o", out, *options],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return dict(np.load(out))


def near(what, ours, theirs):
    assert ours.shape == theirs.shape, f"{what}: shape {ours.shape}, not {theirs.shape}"
    off = np.abs(ours - theirs).max() / np.abs(theirs).max()
    assert off <= BOUND, f"{what}: {off:.3g}"
    return off


def gradients(got, names, value):
    """`value` of a dictionary of the named tensors: is each gradient its derivative?"""
    rng = np.random.default_rng(1)
    worst = 0.0
    for name in names:
        gradient = got["grad." + name]
        assert np.linalg.norm(gradient) > 0, f"{name}: no gradient"
        for _ in range(DIRECTIONS):
            v = rng.standard_normal(gradient.shape)
            p = {n: got[n] for n in names}
            p[name] = p[name] + 1j * TINY * v
            off = abs((gradient * v).sum() - value(p).imag / TINY) / np.linalg.norm(gradient)
            assert off <= BOUND, f"grad.{name}: {off:.3g}"
            worst = max(worst, off)
    return worst


def check_block(mtfc, call, names, reference, options):
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "block.mtf")
        with open(model, "w") as file:
            file.write(f"""use "nn.mtf"
use "transformer.mtf"
dim batch = 4, length = 8, d = 12, hidden = 14
input x[batch, length, d] from gaussian(seed=1)
input probe[batch, length, d] from gaussian(seed=2)
y[batch, length, d] = {call}
loss sum(y * probe)
train {{ optimizer = sgd(lr=0.1)  steps = 1 }}
""")
        got = run(mtfc, model, ["y", "probe", *names], options)
    off = near("y", got["y"], reference(got))
    return max(off, gradients(got, names, lambda p: (reference(p) * got["probe"]).sum()))


def parameter_names(layers):
    names = ["embed.table", "lnf.g", "logits.w"]
    for i in range(layers):
        names += [f"layers.{i}.{n}" for n in ("ln1.g", "ln2.g", "attn.wq", "attn.wk", "attn.wv", "attn.wo",
                                              "ffn.wi.w", "ffn.wi.g", "ffn.wo.w")]
    return names


def check_model(mtfc, model, layers, base, options):
    names = parameter_names(layers)
    got = run(mtfc, model, ["tok", "nxt", "logits", "per_token", *names],
              ["-D", "batch=4", "-D", "length=12", "-D", f"layers={layers}", "-D", f"theta={base}", *options])
    tok, nxt = got["tok"].astype(int), got["nxt"].astype(int)
    logits = logits_of(got, tok, layers, base, 1e-5)
    near("logits", got["logits"], logits)
    near("loss", got["per_token"].mean(keepdims=True), loss_of(logits, nxt).reshape(1, 1))
    return gradients(got, names, lambda p: loss_of(logits_of(p, tok, layers, base, 1e-5), nxt))


SPLIT = ["--mesh", "rows:2;cols:2", "--rules", "batch:rows;hidden:cols"]
BLOCKS = [
    ("rotary(x, 100 * index(length), 500 over d)", ["x"],
     lambda p: rotary(p["x"], 100 * np.arange(8), 500)),
    ("rotary(x, index(length) over d)", ["x"], lambda p: rotary(p["x"], np.arange(8), 10000)),
    ("rms_norm@n(3 * x, 0.1 over d)", ["x", "n.g"], lambda p: rms_norm(3 * p["x"], p["n.g"], 0.1)),
    ("swiglu@f(x over d)", ["x", "f.wi.w", "f.wi.g", "f.wo.w"],
     lambda p: swiglu(p["x"], p["f.wi.w"], p["f.wi.g"], p["f.wo.w"])),
]


def checks(mtfc, models):
    for call, names, reference in BLOCKS:
        for options in ([], SPLIT, ["--mesh", "cols:2", "--rules", "d:cols"]):
            yield f"{call} {' '.join(options[1:])}", lambda: check_block(mtfc, call, names, reference, options)
    model = os.path.join(models, "llama.mtf")
    layout = lambda name: ["--layout", os.path.join(models, "layouts", "llama", name + ".layout")]
    for layers, base, options in (
            (2, 10000, []), (1, 500000, ["-D", "kv_heads=8"]), (2, 7, ["-D", "kv_heads=1"]),
            (2, 10000, layout("tp")), (2, 10000, layout("fsdp")), (2, 10000, layout("fsdp_tp")),
            (2, 10000, ["--mesh", "context:4", "--rules", "length:context"])):
        yield (f"{layers} layers, theta {base} {' '.join(options)}",
               lambda: check_model(mtfc, model, layers, base, options))


def main():
    failed = 0
    for name, check in checks(*sys.argv[1:]):
        try:
            print(f"{name}: {check():.2g}")
        except AssertionError as error:
            failed += 1
            print(f"FAILED {name}: {error}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
