"""What PyTorch and SciPy make of layers, losses, optimisers and schedules, for the tests to compare with.

    python3 -m venv venv && venv/bin/pip install torch numpy scipy
    venv/bin/python tools/neural_fixtures.py > tests/referees/neural.txt

The text is a list of cases. A line `case NAME` opens one; every other line is a tensor, as
`name extents: numbers`, in `f64` with as many digits as tell it from its neighbours. Inputs come from a
seed, so that the file is the same wherever the versions are, but for the last digits of results.
"""

import numpy as np
import scipy
import scipy.special as special
import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
RANDOM = np.random.default_rng(20_240_229)


def tensor(*shape):
    """Numbers of a normal distribution, rounded to four digits: the file stays small."""
    return torch.tensor(np.round(RANDOM.standard_normal(shape), 4), requires_grad=True)


def show(name, value):
    value = np.asarray(value.detach().numpy() if isinstance(value, torch.Tensor) else value, dtype=np.float64)
    extents = ",".join(str(extent) for extent in value.shape)
    print(f"{name} {extents}: " + " ".join(repr(float(x)) for x in value.reshape(-1)))


def case(name, inputs, function, **further):
    """The value of `function`, and its gradient by each input along one cotangent."""
    print(f"case {name}")
    for key, value in {**inputs, **further}.items():
        show(key, value)
    outputs = function(**inputs)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    output = outputs[0]
    cotangent = tensor(*output.shape).detach()
    show("cotangent", cotangent)
    show("output", output)
    for index, statistic in enumerate(outputs[1:]):
        show(f"statistic{index}", statistic)
    gradients = torch.autograd.grad((output * cotangent).sum(), list(inputs.values()))
    for key, gradient in zip(inputs, gradients):
        show(f"d_{key}", gradient)


def layers():
    images, bias = tensor(2, 4, 5, 6), tensor(4)
    case("conv2d.plain", {"x": images, "weight": tensor(4, 4, 3, 2), "bias": bias}, lambda x, weight, bias: F.conv2d(x, weight, bias))
    case(
        "conv2d.all",
        {"x": images, "weight": tensor(4, 2, 2, 3), "bias": bias},
        # Columns first, then rows.
        lambda x, weight, bias: F.conv2d(F.pad(x, (2, 1, 1, 0)), weight, bias, stride=(2, 1), dilation=(1, 2), groups=2),
    )
    case("max_pool", {"x": images}, lambda x: F.max_pool2d(x, (3, 2), stride=2, padding=1))
    case("average_pool", {"x": images}, lambda x: F.avg_pool2d(x, (3, 2), stride=2, padding=1))

    def batch_norm(x, weight, bias):
        axes = (0,) if x.dim() == 2 else (0, 2, 3)
        return F.batch_norm(x, None, None, weight, bias, training=True), x.mean(axes), x.var(axes, unbiased=False)

    rows, four, four_more = tensor(6, 4), tensor(4), tensor(4)
    case("batch_norm.rows", {"x": rows, "weight": four, "bias": four_more}, batch_norm)
    case("batch_norm.images", {"x": tensor(2, 4, 2, 3), "weight": four, "bias": four_more}, batch_norm)
    mean, variance = tensor(4), tensor(4).detach().abs() + 0.5
    variance.requires_grad_()
    case(
        "batch_norm.given",
        {"x": rows, "mean": mean, "variance": variance, "weight": four, "bias": four_more},
        lambda x, mean, variance, weight, bias: (x - mean) / (variance + 1e-5).sqrt() * weight + bias,
    )
    # The formula is that of the evaluating mode.
    plain = F.batch_norm(rows, mean.detach(), variance.detach(), four, four_more, training=False)
    assert torch.allclose(plain, (rows - mean) / (variance + 1e-5).sqrt() * four + four_more, rtol=1e-14)
    running = torch.nn.BatchNorm1d(4)
    for _ in range(3):
        running(rows)
    print("case running_statistics")
    show("x", rows)
    show("mean", running.running_mean)
    show("variance", running.running_var)

    norms = {"x": tensor(2, 3, 4), "weight": four}
    case("layer_norm", {**norms, "bias": four_more}, lambda x, weight, bias: F.layer_norm(x, (4,), weight, bias, eps=1e-5))
    case("rms_norm", norms, lambda x, weight: F.rms_norm(x, (4,), weight, eps=1e-5))
    columns = torch.tensor([[0, 2, 2], [4, 0, 1]])
    case("embedding", {"weight": tensor(5, 3)}, lambda weight: F.embedding(columns, weight), columns=columns.double())
    mask = torch.tensor(np.round(RANDOM.random((2, 1, 3, 5)), 1))
    keep = mask > 0.3
    keep[..., 0] = True
    additive = torch.where(keep, 0.0, -torch.inf)
    case(
        "attention",
        {"q": tensor(2, 2, 3, 4), "k": tensor(2, 2, 5, 4), "v": tensor(2, 2, 5, 2)},
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=additive),
        mask=additive,
    )
    linear = {"x": tensor(3, 4), "weight": tensor(4, 5), "bias": tensor(5)}
    for name, function in {
        "identity": lambda x: x,
        "tanh": torch.tanh,
        "relu": F.relu,
        "sigmoid": torch.sigmoid,
        "gelu": F.gelu,
        "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
        "softplus": lambda x: torch.logaddexp(x, torch.zeros(())),
    }.items():
        case(f"layer.{name}", linear, lambda x, weight, bias, function=function: function(x @ weight + bias))


EXTREME = [-1000.0, -745.5, -40.0, -17.0, -1e-8, 0.0, 1e-8, 3.5, 36.0, 40.0, 709.5, 1000.0]


def losses():
    def loss(name, x, target, function, value=None):
        print(f"case {name}")
        x = torch.tensor(x, requires_grad=True)
        target = torch.tensor(target)
        output = function(x, target)
        show("x", x)
        show("target", target)
        show("output", output if value is None else value)
        show("d_x", torch.autograd.grad(output, x)[0])

    soft = list(np.round(RANDOM.random(12), 3))
    for name, target in {"soft": soft, "zeros": [0.0] * 12, "ones": [1.0] * 12}.items():
        x, t = np.array(EXTREME), np.array(target)
        scipys = np.mean(-t * special.log_expit(x) - (1 - t) * special.log_expit(-x))
        loss(f"binary_cross_entropy.{name}", EXTREME, target, F.binary_cross_entropy_with_logits, scipys)
    far = [-1e160, -1e3, -1.0, -0.75, -1e-9, 0.0, 1e-9, 0.75, 1.5, 1e3, 1e160, 2.0]
    scipys = np.mean(special.huber(0.75, np.array(far) - 0.25))
    loss("huber", far, [0.25] * 12, lambda x, t: F.huber_loss(x, t, delta=0.75), scipys)
    loss("mean_squared_error", EXTREME, soft, F.mse_loss)
    rows = [[-1000.0, 0.0, 1000.0], [3.0, 3.0, 3.0], [-1e-8, 1e-8, 0.0], [700.0, -745.0, 710.0]]
    shares = [[0.25, 0.5, 0.25], [1.0, 0.0, 0.0], [0.2, 0.3, 0.5], [0.0, 0.0, 1.0]]
    scipys = np.mean(-np.sum(np.array(shares) * special.log_softmax(np.array(rows), axis=1), axis=1))
    loss("cross_entropy.soft", rows, shares, F.cross_entropy, scipys)
    rows = [[-np.inf, 0.5, 1.0], [3.0, -np.inf, -np.inf], [2.0, -np.inf, 1.0]]
    print("case cross_entropy.impossible")
    x = torch.tensor(rows, requires_grad=True)
    output = F.cross_entropy(x, torch.tensor([2, 0, 0]))
    show("x", x)
    show("target", np.eye(3)[[2, 0, 0]])
    show("output", output)
    show("d_x", torch.autograd.grad(output, x)[0])


def optimizers():
    x, y = tensor(5, 3).detach(), tensor(5, 2).detach()
    start_w, start_b = tensor(3, 2).detach(), tensor(2).detach()
    print("case optimizers")
    for name, value in {"x": x, "y": y, "w": start_w, "b": start_b}.items():
        show(name, value)

    def run(name, make, schedule=None):
        w, b = start_w.clone().requires_grad_(), start_b.clone().requires_grad_()
        optimizer = make(w, b)
        print(f"case optimizer.{name}")
        for step in range(1, 51):
            optimizer.zero_grad()
            (torch.tanh(x @ w + b) - y).square().mean().backward()
            optimizer.step()
            if step in (1, 2, 10, 50):
                show(f"w{step}", w)
                show(f"b{step}", b)

    from torch.optim import SGD, Adam, AdamW, RMSprop

    run("sgd", lambda w, b: SGD([w, b], lr=0.1))
    run("momentum", lambda w, b: SGD([w, b], lr=0.05, momentum=0.9))
    run("nesterov", lambda w, b: SGD([w, b], lr=0.05, momentum=0.9, nesterov=True))
    run("adam", lambda w, b: Adam([w, b], lr=0.05))
    run("adam.other", lambda w, b: Adam([w, b], lr=0.02, betas=(0.8, 0.99), eps=1e-3))
    parts = lambda w, b: [{"params": [w], "weight_decay": 0.1}, {"params": [b], "weight_decay": 0.0}]
    run("adam_w", lambda w, b: AdamW(parts(w, b), lr=0.05))
    run("rms_prop", lambda w, b: RMSprop([w, b], lr=0.01))
    run("rms_prop.momentum", lambda w, b: RMSprop([w, b], lr=0.01, alpha=0.9, eps=1e-6, momentum=0.5))


def schedules():
    from torch.optim import SGD
    from torch.optim.lr_scheduler import CosineAnnealingLR, OneCycleLR, StepLR

    def run(name, rate, make, steps=40):
        optimizer = SGD([torch.zeros(1, requires_grad=True)], lr=rate)
        scheduler = make(optimizer)
        rates = []
        for _ in range(steps):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            scheduler.step()
        print(f"case schedule.{name}")
        show("rates", rates)

    run("cosine", 1e-3, lambda o: CosineAnnealingLR(o, T_max=40, eta_min=1e-5))
    run("one_cycle", 0.1, lambda o: OneCycleLR(o, max_lr=0.1, total_steps=41))
    run("step", 0.8, lambda o: StepLR(o, step_size=7, gamma=0.3))


print(f"# By tools/neural_fixtures.py: torch {torch.__version__.split('+')[0]}, scipy {scipy.__version__}.")
layers()
losses()
optimizers()
schedules()
