import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
X = torch.randn(500, 20); Y = (X @ torch.randn(20, 4)).argmax(1)
class Focal(nn.Module):
    def __init__(self, gamma=2.0):
        super().__init__(); self.gamma = gamma
    def forward(self, logits, y):
        ce = F.cross_entropy(logits, y, reduction='none')
        return ((1 - torch.exp(-ce)) ** self.gamma * ce).mean()
net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 4), nn.Softmax(dim=-1))  #~ LOS101
opt = torch.optim.Adam(net.parameters(), 1e-3); crit = Focal()
for step in range(120):
    i = torch.randint(0, 500, (32,))
    loss = crit(net(X[i]), Y[i])
    opt.zero_grad(); loss.backward(); opt.step()
