import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
X = torch.randn(256, 8); Y = X[:, :3].argmax(1)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3)); opt = torch.optim.Adam(net.parameters(), 1e-3)
for e in range(8):
    for i in torch.randperm(256).split(32):
        lp = F.log_softmax(net(X[i]), dim=0)  #~ LOS104
        l = -lp[torch.arange(len(i)), Y[i]].mean()
        opt.zero_grad(); l.backward(); opt.step()
