#!/usr/bin/python3
"""Blocks of the shipped library against PyTorch: values and gradients, in double precision.

usage: library.py MTFC [CASE ...]
Needs NumPy and PyTorch (Debian: python3-numpy python3-torch). Ends with status 77 without them.

Each case is a program that makes a `y`, the names of tensors whose gradients are compared, and
the same computation in PyTorch on arrays ordered as declared. The loss is the sum of y times random
numbers, so that every element of y counts in its own way.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from library_cases import CASES, PROLOGUE

BOUND = 1e-9  # max|a-b| <= BOUND * max|b| for every tensor
MESH = ["--mesh", "rows:2;cols:2", "--rules",
        "batch:rows;heads:cols;hidden:cols;vocab:cols;row:cols;row2:cols"]


def run(mtfc, folder, case, options):
    program = PROLOGUE + case.program + f"""
y[{case.dims}] = y
input probe[{case.dims}] from gaussian(seed=99)
total = sum(y * probe)
loss total
train {{ optimizer = sgd(lr=0.1)  steps = 1  precision = f64 }}
"""
    model, out = os.path.join(folder, "case.mtf"), os.path.join(folder, "case.npz")
    with open(model, "w") as file:
        file.write(program)
    names = case.names.split()
    done = subprocess.run([mtfc, "run", model, "y", "probe", "total", *names, *case.fixed.split(),
                           *["--training"] * case.training, "--gradients", "-o", out, *options],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"status {done.returncode}\n{program}\n{done.stderr}")
    return dict(np.load(out))


def off(ours, theirs):
    assert ours.shape == theirs.shape, f"shape {ours.shape}, not {theirs.shape}"
    return np.abs(ours - theirs).max() / max(np.abs(theirs).max(), 1e-30)


def compare(got, case):
    names = case.names.split()
    p = {n: torch.tensor(got[n], dtype=torch.float64, requires_grad=True) for n in names}
    p.update({n: torch.tensor(got[n]) for n in case.fixed.split()})
    y = case.reference(p)
    torch.sum(y * torch.tensor(got["probe"])).backward()
    worst = {"y": off(got["y"], y.detach().numpy())}
    for name in names:
        worst["grad." + name] = off(got["grad." + name], p[name].grad.numpy())
    for name, by in worst.items():
        assert by <= BOUND, f"{name}: {by:.3g}"
    return max(worst.values())


def check_dropout(mtfc, folder):
    """In training: what is kept is scaled, the share is right, the gradient has the same mask."""
    model, out = os.path.join(folder, "dropout.mtf"), os.path.join(folder, "dropout.npz")
    with open(model, "w") as file:
        file.write("""use "nn.mtf"
dim n = 200, m = 100
input x[n, m] from gaussian(seed=1)
y = dropout(x, 0.4)
total = sum(y)
loss total
train { optimizer = sgd(lr=0.1)  steps = 1  precision = f64 }""")
    subprocess.run([mtfc, "run", model, "x", "y", "--training", "--gradients", "-o", out],
                   check=True, capture_output=True)
    got = np.load(out)
    keep = got["y"] != 0
    assert np.abs(got["y"] - np.where(keep, got["x"] / 0.6, 0)).max() < 1e-12, "values"
    assert np.abs(got["grad.x"] - np.where(keep, 1 / 0.6, 0)).max() < 1e-12, "gradient"
    deviations = abs(keep.sum() - 0.6 * keep.size) / np.sqrt(0.24 * keep.size)
    assert deviations < 4, f"{keep.mean():.4f} kept"
    return deviations


def check_batch_norm(mtfc, folder):
    """An evaluation uses the running statistics, which the step before it has moved by a tenth."""
    model, out = os.path.join(folder, "norm.mtf"), os.path.join(folder, "norm.npz")
    with open(model, "w") as file:
        file.write("""use "nn.mtf"
dim n = 50, c = 3
input x[n, c] from gaussian(seed=1, fixed=true)
input probe[n, c] from gaussian(seed=2, fixed=true)
loss mean(batch_norm@n(2 * x + 1 over c) * probe)
train { optimizer = sgd(lr=0)  steps = 1  precision = f64 }""")
    subprocess.run([mtfc, "run", model, "x", "probe", "-o", out], check=True, capture_output=True)
    done = subprocess.run([mtfc, "train", model, "--json"], check=True, capture_output=True)
    got = np.load(out)
    x = 2 * got["x"] + 1
    mean, var = 0.1 * x.mean(0), 0.9 + 0.1 * x.var(0)
    wanted = ((x - mean) / np.sqrt(var + 1e-5) * got["probe"]).mean()
    by = abs(json.loads(done.stdout)["eval_loss"] - wanted) / abs(wanted)
    assert by < 1e-9, f"eval loss: {by:.3g}"
    return by


def main():
    mtfc, *chosen = sys.argv[1:]
    checks = [(case.name, lambda folder, case=case: max(
        compare(run(mtfc, folder, case, options), case) for options in ([], MESH))) for case in CASES]
    checks.append(("dropout", lambda folder: check_dropout(mtfc, folder)))
    checks.append(("batch_norm after a step", lambda folder: check_batch_norm(mtfc, folder)))
    failed = 0
    for name, check in checks:
        if chosen and name not in chosen:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                print(f"{name}: {check(folder):.2g}")
            except (AssertionError, RuntimeError, subprocess.CalledProcessError) as error:
                failed += 1
                print(f"FAILED {name}: {error}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
