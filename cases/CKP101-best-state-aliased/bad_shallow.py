"""dict() copies the keys of a state_dict but not its tensors; the file saved at the end holds the last weights."""
import io
import torch
from torch import nn

torch.manual_seed(1)
torch.set_num_threads(1)
X = torch.randn(80, 16)
Y = (X[:, 0] + 0.8 * torch.randn(80) > 0).float()
net = nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9)
bce = nn.BCEWithLogitsLoss()
best = {"loss": float("inf"), "weights": {}}
for epoch in range(20):
    for idx in torch.randperm(40).split(10):
        opt.zero_grad()
        bce(net(X[idx]).squeeze(1), Y[idx]).backward()
        opt.step()
    with torch.no_grad():
        held_out = bce(net(X[40:]).squeeze(1), Y[40:]).item()
    if held_out < best["loss"]:
        best["loss"] = held_out
        best["weights"] = dict(net.state_dict())  #~ CKP101
file = io.BytesIO()
torch.save(best["weights"], file)
file.seek(0)
net.load_state_dict(torch.load(file))
with torch.no_grad():
    print(f"best {best['loss']:.3f}, from file {bce(net(X[40:]).squeeze(1), Y[40:]).item():.3f}")
