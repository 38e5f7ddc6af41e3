"""Differentiates one batch with the memory that there is, and again with so little more that it does not fit; compares the gradients."""

import resource
import sys
from pathlib import Path

import torch
from torch import nn

import tensan

kind = sys.argv[1]
torch.manual_seed(0)
torch.set_num_threads(1)
SAMPLES, WIDE = 256, 8192
layers = {"batch_norm": [nn.BatchNorm1d(64)], "evaluating": [nn.BatchNorm1d(64).eval()]}
model = nn.Sequential(nn.Linear(16, 64), *layers.get(kind, []), nn.Linear(64, WIDE), nn.Tanh(), nn.Linear(WIDE, 4))
x, y = torch.randn(SAMPLES, 16), torch.randint(0, 4, (SAMPLES,))
reduction = "sum" if kind == "sum" else "mean"


def compute(x, y):
    out = model(x)
    if kind == "contrastive":
        return nn.functional.cross_entropy(out @ out.T, torch.arange(len(out)))
    if kind == "ignored":
        return nn.functional.cross_entropy(out, y, ignore_index=int(y[0]))
    return nn.functional.cross_entropy(out, y, reduction=reduction)


model.zero_grad()
compute(x[:2], y[:2]).backward()
first = [parameter.grad.clone() for parameter in model.parameters()]
compute(x, y).backward()
whole, loss = [parameter.grad.clone() for parameter in model.parameters()], compute(x, y).item()
for parameter, gradient in zip(model.parameters(), first, strict=True):
    parameter.grad = gradient.clone()  # what was accumulated before
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (int(sys.argv[2]) << 20), resource.RLIM_INFINITY))
try:
    compute(torch.randn(100 * SAMPLES, 16), torch.zeros(100 * SAMPLES, dtype=torch.long))
except RuntimeError as error:
    print("can't allocate memory" in str(error))
splitting = tensan.micro_batches(compute, model=model)
batch = (x.repeat(8, 1), y.repeat(8))  # eight times as large: the same mean, and not enough memory for its activations
try:
    found = splitting.backward(*batch)
except tensan.core.errors.NotSplittableError as error:
    print(error)
else:
    times = 8 if reduction == "sum" else 1
    print(splitting.parts, abs(found.item() - times * loss) <= 1e-5 * abs(times * loss))
    parts = zip(model.parameters(), whole, first, strict=True)
    print(max(float((p.grad - b - times * (w - b)).norm() / w.norm()) for p, w, b in parts) <= 1e-5 * times)
