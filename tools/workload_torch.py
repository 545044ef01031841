"""PyTorch's side of `workloads.py`: WORKLOAD THREADS LAYOUT."""

import sys

import torch
import torch.nn.functional as functional
from torch import nn
from torch_models import lenet, vgg
from workload_worker import serve

workload, threads, layout = sys.argv[1], int(sys.argv[2]), getattr(torch, f"{sys.argv[3]}_format", None)
layout = layout or torch.channels_last
torch.set_num_threads(threads)


class Makemore(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(27, 10)
        self.hidden, self.last = nn.Linear(30, 200), nn.Linear(200, 27)

    def forward(self, x):
        return self.last(torch.tanh(self.hidden(self.embedding(x).flatten(1))))


def plain():
    return nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
    )


def training(model, x, classes, optimizer):
    if x.dim() == 4:
        model, x = model.to(memory_format=layout), x.to(memory_format=layout)
    y = torch.arange(x.shape[0]) % classes
    optimizer = optimizer(model.parameters())

    def step():
        optimizer.zero_grad(set_to_none=True)
        functional.cross_entropy(model(x), y).backward()
        optimizer.step()

    return step


def descent(parameters):
    return torch.optim.SGD(parameters, lr=0.01)


def logistic():
    x = torch.randn(100_000, 50, dtype=torch.float64)
    y = (torch.rand(100_000) > 0.5).double()
    w = torch.zeros(50, dtype=torch.float64, requires_grad=True)
    b = torch.zeros((), dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.SGD([w, b], lr=0.1)

    def step():
        optimizer.zero_grad(set_to_none=True)
        functional.binary_cross_entropy_with_logits(x @ w + b, y).backward()
        optimizer.step()

    return step


def gate():
    x = torch.randn(10_000_000, requires_grad=True)
    w = torch.tensor(0.7, requires_grad=True)
    b = torch.tensor(0.1, requires_grad=True)

    def step():
        y = torch.tanh(x * w + b) * torch.sigmoid(x)
        torch.autograd.grad(y.sum(), (x, w, b))

    return step


def attention():
    positions, heads, depth = 256, 4, 64
    width = heads * depth
    x = torch.randn(positions, width, requires_grad=True)
    weights = [torch.randn(width, width).div_(16).requires_grad_() for _ in range(4)]

    def step():
        split = lambda w: (x @ w).view(positions, heads, depth).transpose(0, 1)
        q, k, v = (split(w) for w in weights[:3])
        seen = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        out = seen.transpose(0, 1).reshape(positions, width) @ weights[3]
        torch.autograd.grad((out * out).mean(), (x, *weights))

    return step


letters = lambda rows: torch.randint(0, 27, (rows, 3))
serve(
    {
        "a32": lambda: training(Makemore(), letters(32), 27, descent),
        "a1024": lambda: training(Makemore(), letters(1024), 27, descent),
        "b": lambda: training(plain(), torch.randn(128, 784), 10, lambda p: torch.optim.Adam(p, lr=1e-4)),
        "c": lambda: training(lenet(), torch.randn(64, 1, 28, 28), 10, descent),
        "d": lambda: training(vgg(), torch.randn(32, 3, 32, 32), 10, descent),
        "g": logistic,
        "h": gate,
        "i": attention,
    }[workload]()
)
