#!/usr/bin/env python3
"""Convolutions and pools of LeNet's and a VGG-style net's sizes in PyTorch (oneDNN), one thread.

    python3 -m venv DIR && DIR/bin/pip install torch numpy
    DIR/bin/python tools/window_peers.py

The rows of `cargo bench -p peers --bench window`, which prints ours: run the two in turns. Rates of convolutions are GFLOP/s, of pools billions of elements of the image a second; the
better of the row-major and of the channels-last layout is what ours is held against.
"""

import time

import torch
import torch.nn.functional as functional

ROWS = [
    ("LeNet 1", (64, 1, 28, 28), (6, 1, 5, 5), 0),
    ("LeNet 2", (64, 6, 12, 12), (16, 6, 5, 5), 0),
    ("VGG 3-32", (4, 3, 32, 32), (32, 3, 3, 3), 1),
    ("VGG 32-32", (4, 32, 32, 32), (32, 32, 3, 3), 1),
    ("VGG 32-64", (4, 32, 16, 16), (64, 32, 3, 3), 1),
    ("VGG 64-64", (4, 64, 16, 16), (64, 64, 3, 3), 1),
    ("VGG 64-128", (8, 64, 8, 8), (128, 64, 3, 3), 1),
    ("VGG 128-128", (8, 128, 8, 8), (128, 128, 3, 3), 1),
]
POOLS = [(64, 6, 24, 24), (64, 16, 8, 8), (32, 32, 32, 32)]
LAYOUTS = [("row-major", torch.contiguous_format), ("channels last", torch.channels_last)]


def seconds(run, rounds=60):
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best


def convolution(images, filters, padding, layout):
    x = torch.randn(images).to(memory_format=layout)
    w = torch.randn(filters).to(memory_format=layout)
    y = functional.conv2d(x, w, padding=padding)
    g = torch.randn_like(y)

    def backward(mask):
        return lambda: torch.ops.aten.convolution_backward(
            g, x, w, None, [1, 1], [padding] * 2, [1, 1], False, [0, 0], 1, mask
        )

    operations = 2e-9 * y.numel() * filters[1] * filters[2] * filters[3]
    runs = [
        lambda: functional.conv2d(x, w, padding=padding),
        backward([False, True, False]),
        backward([True, False, False]),
    ]
    return [operations / seconds(run) for run in runs]


def pool(images, layout):
    x = torch.randn(images).to(memory_format=layout)
    y, where = functional.max_pool2d(x, 2, return_indices=True)
    g = torch.randn_like(y)
    runs = [
        lambda: functional.max_pool2d(x, 2),
        lambda: functional.avg_pool2d(x, 2),
        lambda: torch.ops.aten.max_pool2d_with_indices_backward(
            g, x, [2, 2], [2, 2], [0, 0], [1, 1], False, where
        ),
    ]
    return [1e-9 * x.numel() / seconds(run) for run in runs]


def main():
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    print(f"PyTorch {torch.__version__}")
    for name, layout in LAYOUTS:
        print(name)
        nets = {"LeNet": 0.0, "VGG": 0.0}
        for row, images, filters, padding in ROWS:
            forward, weights, back = convolution(images, filters, padding, layout)
            print(f"{row:>12}: forward {forward:6.1f}, weights {weights:6.1f}, images {back:6.1f} GFLOP/s")
            # The first images of a net need no gradient.
            rates = [forward, weights] if filters[1] in (1, 3) else [forward, weights, back]
            down, across = (images[2 + axis] + 2 * padding - filters[2 + axis] + 1 for axis in (0, 1))
            terms = filters[0] * filters[1] * filters[2] * filters[3] * down * across
            nets[row.split()[0]] += sum(2e-3 * terms / rate for rate in rates)
        print(", ".join(f"{net} {time:.1f}" for net, time in nets.items()), "microseconds an image")
        for images in POOLS:
            most, mean, gradient = pool(images, layout)
            print(f"{images}: max {most:.2f}, mean {mean:.2f}, gradient {gradient:.2f} Gelem/s")


main()
