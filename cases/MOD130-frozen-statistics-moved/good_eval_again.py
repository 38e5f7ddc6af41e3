import torch, torch.nn as nn
torch.manual_seed(0)
body = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU()); head = nn.Linear(16, 3)
X = torch.randn(256, 8); Y = X[:, :3].argmax(1)
m = nn.Sequential(body, head)
for p in body.parameters(): p.requires_grad = False
body.eval()
opt = torch.optim.Adam(head.parameters(), 1e-3)
for e in range(8):
    m.train()
    body.eval()
    for i in torch.randperm(256).split(32): opt.zero_grad(); nn.functional.cross_entropy(m(X[i]), Y[i]).backward(); opt.step()
