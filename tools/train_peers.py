#!/usr/bin/env python3
"""A step of training (forward, backward, SGD) of the models of `benches/train.rs` and of the makemore
network of `benches/plan.rs`, here and in PyTorch, in turns.

    python3 -m venv DIR && DIR/bin/pip install torch numpy
    DIR/bin/python tools/train_peers.py [ROUNDS]

One thread. Each round runs `cargo run --release -p peers --bin train_rows` for ours and then PyTorch in
its better layout; a row has the median over the rounds of each, in milliseconds, and the
median of the ratio of neighbours.
"""

import statistics
import subprocess
import sys
import time

import torch
import torch.nn.functional as functional
from torch import nn

torch.set_num_threads(1)


class Residual(nn.Module):
    def __init__(self, layers, width):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.last = nn.Linear(width, 10)

    def forward(self, x):
        for layer in self.layers:
            x = x + torch.tanh(layer(x))
        return self.last(x)


class Makemore(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(27, 10)
        self.hidden, self.last = nn.Linear(30, 200), nn.Linear(200, 27)

    def forward(self, x):
        return self.last(torch.tanh(self.hidden(self.embedding(x).flatten(1))))


def vgg():
    layers, channels = [], 3
    for filters in (32, 64, 128):
        for _ in range(2):
            layers += [nn.Conv2d(channels, filters, 3, padding=1), nn.ReLU()]
            channels = filters
        layers += [nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(2048, 10))


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(256, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )


def plain():
    return nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
    )


def letters(rows):
    return torch.arange(rows * 3).reshape(rows, 3) * 7 % 27


MODELS = {
    "makemore32": (Makemore, lambda: letters(32), 27),
    "makemore1024": (Makemore, lambda: letters(1024), 27),
    "plain": (plain, lambda: torch.rand(128, 784) * 2 - 1, 10),
    "residual": (lambda: Residual(32, 256), lambda: torch.rand(64, 256) * 2 - 1, 10),
    "lenet": (lenet, lambda: torch.rand(64, 1, 28, 28) * 2 - 1, 10),
    "vgg": (vgg, lambda: torch.rand(32, 3, 32, 32) * 2 - 1, 10),
}


def stepper(name, layout):
    build, inputs, classes = MODELS[name]
    model, x = build(), inputs()
    if x.dim() == 4:
        model, x = model.to(memory_format=layout), x.to(memory_format=layout)
    y = torch.arange(x.shape[0]) * 7 % classes
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step():
        optimizer.zero_grad(set_to_none=True)
        functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    return step


def milliseconds(step, budget=0.5):
    step()
    times, start = [], time.perf_counter()
    while len(times) < 5 or time.perf_counter() - start < budget:
        before = time.perf_counter()
        step()
        times.append(time.perf_counter() - before)
    return 1e3 * statistics.median(times)


def ours():
    command = ["cargo", "run", "--quiet", "--release", "-p", "peers", "--bin", "train_rows"]
    rows = {}
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[0] in MODELS:
            rows[words[0]] = [float(word) for word in words[1:]]
    return rows


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    layouts = [torch.contiguous_format, torch.channels_last]
    steps = {name: [stepper(name, layout) for layout in layouts] for name in MODELS}
    found = {name: [] for name in MODELS}
    for _ in range(rounds):
        mine = ours()
        for name, both in steps.items():
            theirs = min(milliseconds(step) for step in both)
            found[name].append((*mine[name], theirs))
    print("ms a step      interpreter     exact      fast   PyTorch  exact/PyTorch  fast/PyTorch")
    for name, rows in found.items():
        medians = [statistics.median(column) for column in zip(*rows)]
        exact = statistics.median(row[1] / row[3] for row in rows)
        fast = statistics.median(row[2] / row[3] for row in rows)
        numbers = " ".join(f"{value:9.3f}" for value in medians)
        print(f"{name:14s} {numbers} {exact:14.2f} {fast:13.2f}")


main()
