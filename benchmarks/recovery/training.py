"""A small training run with a fault of a kind for a number of steps, or a healthy one that looks odd; prints what became of it.

`training.py TASK FAULT LENGTH SEED` prints the steps that left something broken, whether all is finite, and the loss on held-out data.
"""

import contextlib
import math
import sys

import torch
from torch import nn

task, fault, length, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
policy = sys.argv[5] if len(sys.argv) > 5 else ""
torch.manual_seed(seed)
torch.set_num_threads(1)
STEPS = 400
BEGIN = 150 + seed % 50


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(4))
        self.cell, self.head = nn.GRU(4, 12, batch_first=True), nn.Linear(12, 1)

    def forward(self, x):
        return self.head(self.cell(x * self.scale)[0][:, -1])


def mse(out, y):
    return nn.functional.mse_loss(out, y)


teacher = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4))
for parameter in teacher.parameters():
    parameter.requires_grad_(False)
    parameter.mul_(2)


def normalised(*layers):
    return nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), *layers)


#: Model, optimizer, shape of a batch, targets, criterion. The first three were there while thresholds were made; the others were not.
TASKS = {
    "regression": (lambda: normalised(nn.ReLU(), nn.Linear(32, 1)), "adamw", (32, 8), lambda x: x.sum(1, keepdim=True), mse),
    "images": (
        lambda: nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2)),
        "sgd",
        (32, 1, 8, 8),
        lambda x: (x.mean((1, 2, 3)) > 0).long(),
        nn.functional.cross_entropy,
    ),
    "sequence": (Recurrent, "adam", (32, 5, 4), lambda x: x[:, -1].sum(1, keepdim=True), mse),
    "teacher": (
        lambda: normalised(nn.GELU(), nn.Linear(32, 4)),
        "adamw",
        (64, 8),
        lambda x: teacher(x).argmax(1),
        nn.functional.cross_entropy,
    ),
    "noisy": (
        lambda: normalised(nn.Tanh(), nn.Linear(32, 1)),
        "sgd",
        (16, 8),
        lambda x: x[:, :1] * x[:, 1:2] + 0.5 * torch.randn(len(x), 1, generator=data),
        nn.functional.smooth_l1_loss,
    ),
    "autoencoder": (
        lambda: nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3), nn.Linear(3, 8)),
        "rmsprop",
        (32, 8),
        lambda x: x.cumsum(1),
        mse,
    ),
}
OPTIMIZERS = {
    "adamw": lambda parameters: torch.optim.AdamW(parameters, lr=3e-3),
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=1e-2, foreach=False),
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.03, momentum=0.9),
    "rmsprop": lambda parameters: torch.optim.RMSprop(parameters, lr=1e-3),
}
make, kind, shape, target, criterion = TASKS[task]
model = make()
optimizer = OPTIMIZERS[kind](model.parameters())
schedule = None
if fault == "restarts":
    schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=100)
elif fault == "drops":
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=130, gamma=0.1)
buffer = model.scale if task == "sequence" else model[1].running_mean
data, held_out = torch.Generator().manual_seed(seed + 1), torch.Generator().manual_seed(seed + 2)
average = {name: tensor.detach().clone() for name, tensor in model.named_parameters()}
contaminated, rates, losses, norms = 0, [group["lr"] for group in optimizer.param_groups], [], []
kept = None


def spoil(broken, x, y):
    if broken == "data":
        x.view(-1)[7] = float("inf")
    elif broken == "scale":
        x = x * 1e3
    elif broken == "labels":
        y = y.roll(1, 0) if y.is_floating_point() else (y + 1) % (int(y.max()) + 1)
        y = 3 * y if y.is_floating_point() else y
    elif broken == "heavy" and torch.rand((), generator=data) < 0.02:
        x = x * 4
    elif broken == "flips":
        y = torch.where(torch.rand(len(y), *[1] * (y.dim() - 1), generator=data) < 0.2, y.roll(1, 0), y)
    return x, y


def harm(broken):
    first = next(model.parameters())
    if broken == "gradient":
        first.grad.view(-1)[0] = float("-inf")
    if broken == "moment":
        held = optimizer.state[first]
        name = next(key for key in ("momentum_buffer", "exp_avg", "square_avg") if key in held and held[key] is not None)
        held[name].view(-1)[0] = float("nan")
    if broken == "average":
        average[next(iter(average))].view(-1)[0] = float("nan")
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        if fault == "rate":
            group["lr"] = rate * (100 if step >= BEGIN else 1)  # left on
        if broken == "diverges":
            with torch.no_grad():
                for parameter in group["params"]:
                    parameter.mul_(1.02)


def allows(loss):
    """The rules of other tools, beside ours: whether the step is taken."""
    global kept
    norm = math.hypot(*(float(parameter.grad.norm()) for parameter in model.parameters()))
    value = float(loss)
    if policy == "skip":
        return math.isfinite(norm)
    if policy == "breaker":  # naive: 1.8 times the moving average, or not finite: back to the last copy, every 50 steps
        usual = sum(losses[-20:]) / 20 if len(losses) >= 20 else math.inf
        if not math.isfinite(value) or not math.isfinite(norm) or value > 1.8 * usual:
            print("tripped", file=sys.stderr)
            if kept is not None:
                model.load_state_dict(kept)
            return False
        losses.append(value)
        if step % 50 == 0:
            kept = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    return True


for step in range(STEPS):
    broken = fault if BEGIN <= step < BEGIN + length or fault in ("heavy", "flips") else ""
    x = torch.randn(shape, generator=data)
    x, y = spoil(broken, x, target(x))
    if broken == "buffer":
        buffer[0] = float("nan")
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    if broken == "loss":
        loss = loss * float("nan")
    loss.backward()
    harm(broken)
    if allows(loss):
        optimizer.step()
    if schedule is not None:
        schedule.step()
    with torch.no_grad(), contextlib.suppress(KeyError):
        for name, tensor in model.named_parameters():
            average[name].lerp_(tensor, 0.1)
    contaminated += not all(torch.isfinite(parameter).all() for parameter in model.parameters())
model.eval()
x = torch.randn((1024, *shape[1:]), generator=held_out)
with torch.no_grad():
    loss = criterion(model(x), target(x))
finite = all(bool(torch.isfinite(tensor).all()) for tensor in (*model.state_dict().values(), *average.values()))
print(contaminated, finite, f"{float(loss):.6f}")
