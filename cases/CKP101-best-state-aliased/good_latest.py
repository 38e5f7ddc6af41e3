"""The latest state is what is wanted: it is read after training and loaded into a fresh model."""
import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 3))


torch.manual_seed(0)
torch.set_num_threads(1)
model = build()
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
checkpoint = {"step": 0, "model": model.state_dict()}
for step in range(1, 51):
    x = torch.randn(32, 4)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    checkpoint.update(step=step, model=model.state_dict())
served = build()
served.load_state_dict(checkpoint["model"])
served.eval()
x = torch.randn(200, 4)
with torch.no_grad():
    print(f"step {checkpoint['step']}, accuracy {(served(x).argmax(1) == x[:, :3].argmax(1)).float().mean().item():.3f}")
