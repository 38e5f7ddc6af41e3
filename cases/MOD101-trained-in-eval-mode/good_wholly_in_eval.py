"""A pretrained network is fine-tuned in evaluation mode from the first step on, as is usual for detectors."""
import io
import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Dropout(0.5), nn.Linear(24, 2))


def run(model, x, y, steps, lr):
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    for _ in range(steps):
        idx = torch.randint(0, len(x), (32,))
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
        loss.backward()
        opt.step()
    return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(300, 6)
source = build()
run(source, X, (X[:, 0] > 0).long(), 30, 0.1)
blob = io.BytesIO()
torch.save(source.state_dict(), blob)
blob.seek(0)
model = build()
model.load_state_dict(torch.load(blob))
model.eval()
print(f"fine-tuned loss {run(model, X, (X[:, 0] + 0.3 * X[:, 1] > 0).long(), 40, 0.02):.3f}")
