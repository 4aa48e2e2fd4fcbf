#!/usr/bin/python3
"""A training step of the small GPT in PyTorch, to compare with `mtfc train models/gpt.mtf`.

usage: gpt_torch.py [THREADS [STEPS]]     (Debian: python3-torch)
The same model, AdamW and clipping; random tokens, f32. Prints the median step in milliseconds.
"""
import os
import sys
import time

import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "oracle"))
from gpt_gradients import gpt_loss, parameter_names

SHAPES = {"wte": (65, 128), "wpe": (64, 128), "wq": (128, 4, 32), "wk": (128, 4, 32),
          "wv": (128, 4, 32), "wo": (4, 32, 128), "up.w": (128, 512), "up.b": (512,),
          "down.w": (512, 128), "down.b": (128,), "g": (128,), "b": (128,)}


def shape_of(name):
    parts = name.split(".")
    return SHAPES.get(".".join(parts[-2:])) or SHAPES[parts[-1]]


def main():
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    torch.set_num_threads(threads)
    p = {n: (torch.randn(shape_of(n)) * 0.02).requires_grad_() for n in parameter_names(4)}
    optimizer = torch.optim.AdamW(p.values(), lr=1e-3, betas=(0.9, 0.99), weight_decay=0.1)
    times = []
    for _ in range(steps):
        tok, nxt = torch.randint(65, (2, 12, 64))
        start = time.perf_counter()
        loss = gpt_loss(p, tok, nxt, 4)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(p.values(), 1.0)
        optimizer.step()
        times.append(time.perf_counter() - start)
    times.sort()
    print(f"{threads} threads: {1000 * times[len(times) // 2]:.1f} ms a step (median of {steps})")


main()
