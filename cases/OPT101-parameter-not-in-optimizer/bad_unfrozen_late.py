import torch, torch.nn as nn
torch.manual_seed(0)
X = torch.randn(256, 8); Y = X[:, :3].argmax(1)
body = nn.Sequential(nn.Linear(8, 16), nn.ReLU()); head = nn.Linear(16, 3)
for p in body.parameters(): p.requires_grad = False
m = nn.Sequential(body, head)
opt = torch.optim.Adam(filter(lambda p: p.requires_grad, m.parameters()), 1e-3)  #~ OPT101
for e in range(10):
    if e == 3:
        for p in body.parameters(): p.requires_grad = True
    for i in torch.randperm(256).split(32):
        opt.zero_grad(); nn.functional.cross_entropy(m(X[i]), Y[i]).backward(); opt.step()
