#!/usr/bin/python3
"""Every learning-rate schedule, at every step of a run, against its formula in plain Python.

usage: schedules.py MTFC MODEL
"""
import json
import math
import os
import subprocess
import sys
import tempfile

T = 40
BOUND = 1e-13


def warm(t, warmup, peak, then):
    return peak * (t + 1) / warmup if t < warmup else then


def progress(t, warmup):
    return min(1.0, max(0.0, (t - warmup) / max(1, T - warmup)))


def linear(t, peak, warmup=0, floor=0.0, decay=1.0):
    q = progress(t, warmup)
    fallen = 0.0 if q < 1 - decay else (q - (1 - decay)) / decay
    return warm(t, warmup, peak, peak + fallen * (floor - peak))


def cosine(t, peak, warmup=0, floor=0.0):
    wave = (1 + math.cos(math.pi * progress(t, warmup))) / 2
    return warm(t, warmup, peak, floor + (peak - floor) * wave)


def poly(t, peak, warmup=0, floor=0.0, power=1.0):
    return warm(t, warmup, peak, floor + (peak - floor) * (1 - progress(t, warmup)) ** power)


def exponential(t, peak, rate, every=1, warmup=0, floor=0.0, staircase=False):
    n = max(0, t - warmup) / every
    return warm(t, warmup, peak, max(floor, peak * rate ** (math.floor(n) if staircase else n)))


def slanted_triangular(t, peak, cut=0.1, ratio=32):
    top = max(1, math.floor(T * cut))
    p = t / top if t < top else max(0, 1 - (t - top) / (top * (1 / cut - 1)))
    return peak * (1 + p * (ratio - 1)) / ratio


def fall(t, decay):
    return min(1, (T - t) / (decay * T)) if decay else 1


def rsqrt(t, warmup=10000, multiplier=1.0, decay=0.0):
    return multiplier / math.sqrt(max(t + 1, warmup)) * fall(t, decay)


def vaswani(t, warmup, d_model):
    """Attention is all you need, equation 3; its step_num starts at 1."""
    return d_model**-0.5 * min((t + 1) ** -0.5, (t + 1) * warmup**-1.5)


CASES = [
    ("0.25", lambda t: 0.25),
    ("constant(0.5)", lambda t: 0.5),
    ("linear(0.1)", lambda t: linear(t, 0.1)),
    ("linear(0.1, warmup=7, floor=0.02)", lambda t: linear(t, 0.1, 7, 0.02)),
    ("linear(0.1, warmup=7, floor=0.02, decay=0.25)", lambda t: linear(t, 0.1, 7, 0.02, 0.25)),
    # Mesh-TensorFlow's linear_decay_learning_rate: constant, then down in the last tenth.
    ("linear(0.1, decay=0.1)", lambda t: 0.1 * min(1, (T - t) / (0.1 * T))),
    ("linear(0.1, warmup=50)", lambda t: 0.1 * (t + 1) / 50),
    ("cosine(0.1)", lambda t: cosine(t, 0.1)),
    ("cosine(peak=0.1, warmup=40)", lambda t: 0.1 * (t + 1) / 40),
    ("cosine(peak=0.1, warmup=10, floor=0.01)", lambda t: cosine(t, 0.1, 10, 0.01)),
    ("poly(10, warmup=5, power=2)", lambda t: poly(t, 10, 5, 0.0, 2)),
    ("poly(0.1, floor=0.05, power=0.7)", lambda t: poly(t, 0.1, 0, 0.05, 0.7)),
    ("exponential(0.1, 0.9)", lambda t: exponential(t, 0.1, 0.9)),
    ("exponential(0.1, 0.5, every=6, warmup=3, floor=0.02)",
     lambda t: exponential(t, 0.1, 0.5, 6, 3, 0.02)),
    ("exponential(0.1, 0.5, every=6, staircase=true)",
     lambda t: exponential(t, 0.1, 0.5, 6, staircase=True)),
    ("slanted_triangular(0.1)", lambda t: slanted_triangular(t, 0.1)),
    ("slanted_triangular(0.1, cut=0.33, ratio=8)", lambda t: slanted_triangular(t, 0.1, 0.33, 8)),
    ("slanted_triangular(0.1, cut=0.001)", lambda t: slanted_triangular(t, 0.1, 0.001)),
    ("rsqrt()", lambda t: 0.01),
    ("rsqrt(warmup=8)", lambda t: rsqrt(t, 8)),
    ("rsqrt(0, 3)", lambda t: 3 / math.sqrt(t + 1)),
    ("rsqrt(8, 2, 0.25)", lambda t: rsqrt(t, 8, 2, 0.25)),
    ("noam(12, multiplier=512^-0.5)", lambda t: vaswani(t, 12, 512)),
    ("noam(12, decay=0.5)", lambda t: vaswani(t, 12, 1) * fall(t, 0.5)),
    ("piecewise(0.1, 10, 0.05, 15, 0.2, 30, 0)",
     lambda t: 0.1 if t < 10 else 0.05 if t < 15 else 0.2 if t < 30 else 0),
    ("piecewise(0.1, 10, 0.05)", lambda t: 0.1 if t < 10 else 0.05),
    ("warmup(6, 0.3)", lambda t: 0.3 * min(1, (t + 1) / 6)),
    ("warmup(6, then=cosine(0.1))", lambda t: cosine(t, 0.1) * min(1, (t + 1) / 6)),
    ("warmup(12, rsqrt(12, 512^-0.5))", lambda t: vaswani(t, 12, 512)),
    ("warmup(4, piecewise(1, 20, 0.1))", lambda t: (1 if t < 20 else 0.1) * min(1, (t + 1) / 4)),
]


def main():
    mtfc, model = sys.argv[1:]
    failures, worst = 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.jsonl")
        for call, formula in CASES:
            done = subprocess.run([mtfc, "train", model, "--steps", str(T), "--log", log, "--set",
                                   f"train.optimizer.lr={call}", "-D", "p=2", "-D", "q=2"],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"FAILED {call}\n{done.stderr}")
            rates = [json.loads(line)["lr"] for line in open(log) if "lr" in line]
            if len(rates) != T:
                sys.exit(f"FAILED {call}: {len(rates)} steps")
            for t, ours in enumerate(rates):
                want = formula(t)
                off = abs(ours - want) / max(abs(want), 1e-9)
                worst = max(worst, off)
                if not off <= BOUND:
                    failures += 1
                    print(f"FAILED {call} at step {t}: {ours}, not {want}")
    print(f"{len(CASES)} schedules at {T} steps, largest difference {worst:.3g}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
