"""A context manager remembers every module's mode and puts it back after the evaluation."""
from contextlib import contextmanager
import torch
from torch import nn


@contextmanager
def evaluating(model):
    modes = {m: m.training for m in model.modules()}
    model.eval()
    try:
        with torch.no_grad():
            yield model
    finally:
        for m, mode in modes.items():
            m.training = mode


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(300, 6)
Y = (X[:, 0] + X[:, 1] > 0).float()
model = nn.Sequential(nn.Linear(6, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(50):
    idx = torch.randint(0, 200, (25,))
    loss = nn.functional.binary_cross_entropy_with_logits(model(X[idx]).squeeze(1), Y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 9:
        with evaluating(model) as m:
            accuracy = ((m(X[200:]).squeeze(1) > 0).float() == Y[200:]).float().mean().item()
print(f"accuracy {accuracy:.3f}")
