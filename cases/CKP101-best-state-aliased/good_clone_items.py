"""The best state is a comprehension of clones, kept together with the step at which it was found."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def snapshot(model):
    return {k: v.detach().cpu().clone() for k, v in model.state_dict().items()}


X = torch.randn(90, 8)
Y = (X[:, 0] + torch.randn(90) > 0).long()
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.3)
loss_fn = nn.CrossEntropyLoss()
best = (float("inf"), 0, snapshot(model))
for step in range(50):
    opt.zero_grad()
    loss_fn(model(X[:50]), Y[:50]).backward()
    opt.step()
    with torch.no_grad():
        score = loss_fn(model(X[50:]), Y[50:]).item()
    if score < best[0]:
        best = (score, step, snapshot(model))
model.load_state_dict(best[2])
print(f"best {best[0]:.3f} at step {best[1]}")
