"""Each fold makes a new network, but all folds use the optimizer of the network made before them."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


def make_net():
    return nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 1))


X = torch.randn(180, 4)
Y = X[:, :1] - X[:, 3:]
net = make_net()
opt = torch.optim.RMSprop(net.parameters(), lr=0.01)  #~ OPT102
scores = []
folds = torch.randperm(180).chunk(3)
for k in range(3):
    net = make_net()  #~? OPT102
    train = torch.cat([f for i, f in enumerate(folds) if i != k])
    for step in range(25):
        idx = train[torch.randint(0, len(train), (30,))]
        loss = (net(X[idx]) - Y[idx]).pow(2).mean()
        net.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        scores.append((net(X[folds[k]]) - Y[folds[k]]).pow(2).mean().item())
print("fold errors", [round(s, 3) for s in scores])
