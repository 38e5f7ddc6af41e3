import torch, torch.nn as nn
torch.manual_seed(0)
X = torch.randn(256, 8); Y = X[:, :3].argmax(1); net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(.3), nn.Linear(32, 3)); opt = torch.optim.SGD(net.parameters(), 0.1)
def loss_of(i): return nn.functional.cross_entropy(net(X[i]), Y[i])
for e in range(8):
    net.train()
    for i in torch.randperm(200).split(25):
        def closure():
            opt.zero_grad(); l = loss_of(i); l.backward(); return l
        opt.step(closure)
