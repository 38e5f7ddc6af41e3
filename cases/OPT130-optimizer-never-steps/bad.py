import torch, torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3)); X = torch.randn(256, 8); Y = X[:, :3].argmax(1)
opt = torch.optim.Adam(net.parameters(), 1e-3)  #~ OPT130
def train_epoch():
    tot = 0
    for i in torch.randperm(256).split(32):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(X[i]), Y[i])
        loss.backward()
        tot += loss.item()
    return tot / 8
for e in range(8): print(train_epoch())
