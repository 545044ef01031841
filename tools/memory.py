#!/usr/bin/env python3
"""Peaks of memory of a step of training: ours against PyTorch's, of LeNet and of the network in the style of VGG.

    python3 -m venv DIR && DIR/bin/pip install torch numpy
    DIR/bin/python tools/memory.py

Ours is what the program's allocator counts (`cargo bench --bench memory -- NAME BATCH`), PyTorch's what its own
allocator reports to the profiler while a step runs, both with parameters, feeds and gradients.
"""

import subprocess
from pathlib import Path

import torch
import torch.nn.functional as functional
from torch.profiler import ProfilerActivity, profile
from torch_models import lenet, vgg

ROOT = Path(__file__).resolve().parent.parent


def theirs(make, shape):
    """The most bytes that are alive at one time, of all that is allocated from the model on."""
    torch.set_num_threads(1)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        model, x = make(), torch.zeros(shape)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        y = torch.arange(shape[0]) % 10
        for _ in range(2):
            optimizer.zero_grad(set_to_none=True)
            functional.cross_entropy(model(x), y).backward()
            optimizer.step()
    alive = most = 0
    for event in profiled.profiler.kineto_results.events():
        if event.name() == "[memory]":
            alive += event.nbytes()
            most = max(most, alive)
    return most


def ours(name, batch):
    command = ["cargo", "bench", "--quiet", "--bench", "memory", "--", name, str(batch)]
    run = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return int(run.stdout.split()[-1])


for name, make, shape in [("lenet", lenet, (64, 1, 28, 28)), ("vgg", vgg, (32, 3, 32, 32))]:
    mine, other = ours(name, shape[0]), theirs(make, shape)
    print(f"{name:<6} batch {shape[0]}: {mine / 2**20:.2f} MiB, PyTorch {other / 2**20:.2f} MiB, {mine / other:.2f}")
