#!/usr/bin/python3
"""Every optimiser against its formula in NumPy, and against torch.optim where that has it.

usage: optimizers.py MTFC MODEL
The model is trained in double precision for ten steps, on one processor, on a mesh that splits the
factored dimensions, and with the update on shards. The losses of all steps and the last parameters must be those of a plain
reimplementation, which knows nothing of mtfc but the initial values and the input.
Needs NumPy (Debian: python3-numpy); without it, status 77. PyTorch is optional.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
try:
    import torch
except ImportError:
    torch = None

from checkpoint import load

STEPS = 10
BOUND = 1e-9
RATES = [0.02 * (t + 1) / 3 if t < 3 else 0.02 * 0.9 ** (t - 3) for t in range(STEPS)]
LR = "exponential(peak=0.02, rate=0.9, warmup=3)"
LAYOUTS = [
    [],
    ["--rules", "a:x;b:y;p:x;q:y", "--mesh", "x:2;y:2", "--replicas=all"],
    # The update on shards: w[a/x, b/y, c], reduce-scattered over x.
    ["--rules", "batch:x;b:y;q:y;set update=sharded", "--mesh", "x:2;y:2", "--replicas=all"],
]
NAMES = ["w", "k", "v", "s", "big"]


# ---------------------------------------------------------------- the model
def loss_and_gradients(x, par):
    n = x.shape[0]
    h = np.tanh(np.einsum("nab,abc->nc", x, par["w"]))
    r = h @ par["v"] + par["s"] - 1
    m = x.mean((0, 1))
    u = np.tanh(m @ par["k"])
    p, q = par["big"].shape
    far = par["big"] - np.sin(np.arange(p)[:, None] + 2.0 * np.arange(q)[None, :])
    loss = np.mean(r**2) + np.mean((u - 0.5) ** 2) + 30 * np.mean(far**2)
    dr = 2 * r / n
    dz = np.outer(dr, par["v"]) * (1 - h**2)
    return loss, {
        "w": np.einsum("nab,nc->abc", x, dz),
        "k": np.outer(m, 2 * (u - 0.5) / u.size * (1 - u**2)),
        "v": h.T @ dr,
        "s": dr.sum(),
        "big": 60 * far / far.size,
    }


# ---------------------------------------------------------------- the optimisers, from their papers
# Each is a function of (state, p, g, lr, t, w, trust), p before the step; it returns p after it.
def sgd(mu=0.0, nesterov=False):
    def step(s, p, g, lr, t, w, trust):
        g = g + w * p
        if mu:
            s["m"] = mu * s.get("m", 0) + g
            g = g + mu * s["m"] if nesterov else s["m"]
        return p - lr * g
    return step


def adagrad(eps=1e-10, initial=0.0):
    def step(s, p, g, lr, t, w, trust):
        g = g + w * p
        s["v"] = s.get("v", initial) + g * g
        return p - lr * g / (np.sqrt(s["v"]) + eps)
    return step


def rmsprop(alpha=0.99, eps=1e-8, momentum=0.0, centered=False):
    def step(s, p, g, lr, t, w, trust):
        g = g + w * p
        s["v"] = alpha * s.get("v", 0) + (1 - alpha) * g * g
        s["a"] = alpha * s.get("a", 0) + (1 - alpha) * g
        variance = s["v"] - s["a"] ** 2 if centered else s["v"]
        s["m"] = momentum * s.get("m", 0) + g / (np.sqrt(variance) + eps)
        return p - lr * s["m"]
    return step


def moments(s, g, t, beta1, beta2, correct):
    s["m"] = beta1 * s.get("m", 0) + (1 - beta1) * g
    s["v"] = beta2 * s.get("v", 0) + (1 - beta2) * g * g
    if not correct:
        return s["m"], s["v"]
    return s["m"] / (1 - beta1 ** (t + 1)), s["v"] / (1 - beta2 ** (t + 1))


def adam(beta1=0.9, beta2=0.999, eps=1e-8, correct=True, decoupled=False):
    def step(s, p, g, lr, t, w, trust):
        m, v = moments(s, g if decoupled else g + w * p, t, beta1, beta2, correct)
        return p - lr * m / (np.sqrt(v) + eps) - (lr * w * p if decoupled else 0)
    return step


def ratio(above, below, scale=1.0):
    return scale * above / below if above > 0 and below > 0 else 1.0


def lamb(beta1=0.9, beta2=0.999, eps=1e-6, correct=True):
    def step(s, p, g, lr, t, w, trust):
        m, v = moments(s, g, t, beta1, beta2, correct)
        u = m / (np.sqrt(v) + eps) + w * p
        size, length = np.sqrt(np.sum(p * p)), np.sqrt(np.sum(u * u))
        return p - lr * (ratio(size, length) if trust else 1) * u
    return step


def lars(momentum=0.9, coefficient=0.001):
    def step(s, p, g, lr, t, w, trust):
        size, slope = np.sqrt(np.sum(p * p)), np.sqrt(np.sum(g * g))
        local = coefficient * size / (slope + w * size) if size > 0 and slope > 0 else 1.0
        s["m"] = momentum * s.get("m", 0) + lr * (local if trust else 1) * (g + w * p)
        return p - s["m"]
    return step


def rms(x):
    return np.sqrt(np.mean(x * x))


def adafactor(beta1=0.0, clipping=1.0, factored=True, parameter_scale=True, exponent=0.8,
              eps1=1e-30, eps2=1e-3, min_size=128):
    def step(s, p, g, lr, t, w, trust):
        beta2 = 1 - (t + 1.0) ** -exponent
        squares = g * g + eps1
        order = sorted(range(p.ndim), key=lambda i: -p.shape[i])  # stable: the first of equal ones
        if factored and p.ndim >= 2 and p.shape[order[1]] >= min_size:
            a, b = order[:2]
            s["vr"] = beta2 * s.get("vr", 0) + (1 - beta2) * squares.mean(a, keepdims=True)
            s["vc"] = beta2 * s.get("vc", 0) + (1 - beta2) * squares.mean(b, keepdims=True)
            u = g / np.sqrt(s["vr"] * s["vc"] / s["vr"].mean(b, keepdims=True))
        else:
            s["v"] = beta2 * s.get("v", 0) + (1 - beta2) * squares
            u = g / np.sqrt(s["v"])
        if clipping:
            u = u / max(1.0, rms(u) / clipping)
        d = lr * u * (max(rms(p), eps2) if parameter_scale else 1)
        if beta1:
            s["m"] = beta1 * s.get("m", 0) + (1 - beta1) * d
            d = s["m"]
        return p - lr * w * p - d
    return step


def torch_step(make):
    """An optimiser of PyTorch in the same form; decay is its own."""
    def step(s, p, g, lr, t, w, trust):
        if "optimizer" not in s:
            s["p"] = torch.nn.Parameter(torch.tensor(p, dtype=torch.float64))
            s["optimizer"] = make([s["p"]], w)
        for group in s["optimizer"].param_groups:
            group["lr"] = lr
        s["p"].grad = torch.tensor(g, dtype=torch.float64)
        s["optimizer"].step()
        return s["p"].detach().numpy().copy()
    return step


# ---------------------------------------------------------------- cases
# (call of mtfc, the formula, weight decay, PyTorch's class or nothing)
CASES = [
    ("sgd({lr})", sgd(), 0, lambda p, w: torch.optim.SGD(p, 1, weight_decay=w)),
    ("sgd({lr}, decay=0.1)", sgd(), 0.1, lambda p, w: torch.optim.SGD(p, 1, weight_decay=w)),
    ("sgd({lr}, momentum=0.8, decay=0.1)", sgd(0.8), 0.1,
     lambda p, w: torch.optim.SGD(p, 1, momentum=0.8, weight_decay=w)),
    ("sgd({lr}, momentum=0.8, nesterov=true)", sgd(0.8, True), 0,
     lambda p, w: torch.optim.SGD(p, 1, momentum=0.8, nesterov=True, weight_decay=w)),
    ("momentum({lr})", sgd(0.9), 0,
     lambda p, w: torch.optim.SGD(p, 1, momentum=0.9, weight_decay=w)),
    ("adagrad({lr})", adagrad(), 0, lambda p, w: torch.optim.Adagrad(p, 1, weight_decay=w)),
    ("adagrad({lr}, initial=0.1, eps=1e-3, decay=0.1)", adagrad(1e-3, 0.1), 0.1,
     lambda p, w: torch.optim.Adagrad(p, 1, weight_decay=w, initial_accumulator_value=0.1,
                                      eps=1e-3)),
    ("rmsprop({lr})", rmsprop(), 0, lambda p, w: torch.optim.RMSprop(p, 1, weight_decay=w)),
    ("rmsprop({lr}, alpha=0.9, eps=1e-3, momentum=0.5, centered=true, decay=0.1)",
     rmsprop(0.9, 1e-3, 0.5, True), 0.1,
     lambda p, w: torch.optim.RMSprop(p, 1, alpha=0.9, eps=1e-3, momentum=0.5, centered=True,
                                      weight_decay=w)),
    ("adam({lr})", adam(), 0, lambda p, w: torch.optim.Adam(p, 1, weight_decay=w)),
    ("adam({lr}, beta1=0.8, beta2=0.95, eps=1e-3, decay=0.1)", adam(0.8, 0.95, 1e-3), 0.1,
     lambda p, w: torch.optim.Adam(p, 1, betas=(0.8, 0.95), eps=1e-3, weight_decay=w)),
    ("adam({lr}, bias_correction=false)", adam(correct=False), 0, None),
    ("adamw(lr={lr})", adam(decoupled=True), 0.01,
     lambda p, w: torch.optim.AdamW(p, 1, weight_decay=w)),
    ("adamw({lr}, eps=1e-6, decay=0.1, bias_correction=false)",
     adam(eps=1e-6, correct=False, decoupled=True), 0.1, None),
    ("lamb({lr})", lamb(), 0.01, None),
    ("lamb({lr}, 0.8, 0.95, 1e-3, 0.1, false)", lamb(0.8, 0.95, 1e-3, False), 0.1, None),
    ("lars({lr})", lars(), 0, None),
    ("lars({lr}, momentum=0.5, decay=0.1, coefficient=0.02)", lars(0.5, 0.02), 0.1, None),
    ("adafactor({lr})", adafactor(), 0, None),
    ("adafactor({lr}, min_size=2)", adafactor(min_size=2), 0, None),
    ("adafactor({lr}, min_size=4, beta1=0.9, decay=0.1)", adafactor(0.9, min_size=4), 0.1, None),
    ("adafactor({lr}, clipping=0, parameter_scale=false, min_size=2)",
     adafactor(clipping=0, parameter_scale=False, min_size=2), 0, None),
    ("adafactor({lr}, factored=false, exponent=0.5, eps1=1e-4, eps2=0.5, clipping=0.3)",
     adafactor(factored=False, exponent=0.5, eps1=1e-4, eps2=0.5, clipping=0.3), 0, None),
]
DEFAULT_RATES = [("adafactor(min_size=2)", adafactor(min_size=2), 1.0),
                 ("adafactor(parameter_scale=false)", adafactor(parameter_scale=False), 0.05)]
GROUPS = """
  params "**" { decay = 0.1 }
  params "v", "s" { decay = 0  trust = false }
  params "k" { lr_scale = 0.5 }
  params "big" { frozen = true }
"""
GROUPED = {"w": (1, 0.1, True), "k": (0.5, 0.1, True), "v": (1, 0, False), "s": (1, 0, False)}
STATES = {  # what adafactor(min_size=3, beta1=0.9) keeps
    "optimizer.vr.w": ["a", "c"], "optimizer.vc.w": ["b", "c"], "optimizer.m.w": ["a", "b", "c"],
    "optimizer.vr.k": ["e"], "optimizer.vc.k": ["b"], "optimizer.m.k": ["b", "e"],
    "optimizer.v.v": ["c"], "optimizer.m.v": ["c"], "optimizer.v.s": [], "optimizer.m.s": [],
    "optimizer.vr.big": ["p"], "optimizer.vc.big": ["q"], "optimizer.m.big": ["p", "q"],
}


class Checker:
    def __init__(self, mtfc, model):
        self.mtfc, self.model, self.failures, self.worst = mtfc, model, 0, 0.0
        self.folder = tempfile.mkdtemp()
        out = os.path.join(self.folder, "start.npz")
        self.call("run", model, "x", *NAMES, "-o", out)
        start = dict(np.load(out))
        self.x, self.start = start["x"], {n: start[n] for n in NAMES}
        assert self.x.dtype == np.float64

    def call(self, *args):
        done = subprocess.run([self.mtfc, *args], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"FAILED mtfc {' '.join(args)}\n{done.stderr}")

    def expected(self, step, rates, groups):
        """Losses of all steps and the last parameters, by the formula."""
        par, states, losses = dict(self.start), {n: {} for n in NAMES}, []
        for t in range(STEPS):
            loss, grads = loss_and_gradients(self.x, par)
            losses.append(loss)
            for name, (scale, decay, trust) in groups.items():
                par[name] = step(states[name], par[name], grads[name], rates[t] * scale, t, decay,
                                 trust)
        return losses, par

    def trained(self, model, optimizer, layout):
        log = os.path.join(self.folder, "log.jsonl")
        shutil.rmtree(os.path.join(self.folder, "out"), ignore_errors=True)
        self.call("train", model, "--set", f"train.optimizer={optimizer}", "--log", log, "-o",
                  os.path.join(self.folder, "out"), *layout)
        lines = [json.loads(line) for line in open(log)]
        final = load(os.path.join(self.folder, "out"))
        return [l["loss"] for l in lines if "loss" in l], {n: final[n] for n in NAMES}

    def compare(self, what, got, want):
        (losses, par), (wanted, final) = got, want
        for t, (ours, theirs) in enumerate(zip(losses, wanted)):
            self.near(f"{what}: loss of step {t}", ours, theirs)
        if len(losses) != STEPS:
            self.fail(f"{what}: {len(losses)} steps")
        for name in NAMES:
            self.near(f"{what}: {name}", par[name], final[name])

    def near(self, what, ours, theirs):
        off = np.max(np.abs(ours - theirs)) / max(np.max(np.abs(theirs)), 1e-3)
        self.worst = max(self.worst, off)
        if not off <= BOUND:
            self.fail(f"{what} is off by {off:.3g}")

    def fail(self, message):
        self.failures += 1
        print(f"FAILED {message}")


def every(decay):
    return {n: (1, decay, True) for n in NAMES}


def main():
    mtfc, model = sys.argv[1:]
    check = Checker(mtfc, model)
    compared = 0
    for call, formula, decay, make in CASES:
        call = call.format(lr=LR)
        want = check.expected(formula, RATES, every(decay))
        for layout in LAYOUTS:
            check.compare(f"{call} {' '.join(layout)}", check.trained(model, call, layout), want)
        if torch and make:
            compared += 1
            theirs = check.expected(torch_step(make), RATES, every(decay))
            check.compare(f"{call} in PyTorch", want, theirs)

    for call, formula, multiplier in DEFAULT_RATES:
        rates = [multiplier * min((t + 1) ** -0.5, 0.01) for t in range(STEPS)]
        check.compare(call, check.trained(model, call, []), check.expected(formula, rates, every(0)))

    grouped = os.path.join(check.folder, "groups.mtf")
    text = open(model).read()
    open(grouped, "w").write(re.sub(r"(?s)(train \{.*)\}", lambda m: m[1] + GROUPS + "}", text))
    for call, formula in [(f"lamb({LR})", lamb()), (f"lars({LR})", lars()),
                          (f"adafactor({LR}, min_size=2)", adafactor(min_size=2))]:
        if call.startswith("adafactor"):  # it has no ratio, so `trust = false` changes nothing
            assert "trust = false" in GROUPS
        want = check.expected(formula, RATES, GROUPED)
        for layout in LAYOUTS:
            check.compare(f"{call} in groups", check.trained(grouped, call, layout), want)

    # States: their names and dimensions.
    out = os.path.join(check.folder, "json")
    check.call("emit", model, "--backend", "json", "--set",
               "train.optimizer=adafactor(min_size=3, beta1=0.9)", "-o", out)
    module = json.load(open(os.path.join(out, "program.json")))
    states = {v["path"]: v["type"] for v in module["variables"] if v["kind"] == "optimizer"}
    got = {path: dims_of(kind) for path, kind in states.items()}
    if got != STATES:
        check.fail(f"the states are {got}")
    print(f"{len(CASES) + len(DEFAULT_RATES) + 3} optimisers, {compared} of them in PyTorch, "
          f"largest difference {check.worst:.3g}")
    sys.exit(1 if check.failures else 0)


def dims_of(kind):
    return [d["name"] for d in kind["dims"]]


if __name__ == "__main__":
    main()
