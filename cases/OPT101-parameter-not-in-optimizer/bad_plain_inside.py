import torch, torch.nn as nn
torch.manual_seed(0)
class Attn(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.proj = nn.Linear(d, d)
        self.query = torch.randn(d, requires_grad=True)  #~ OPT101
        self.out = nn.Linear(d, 2)
    def forward(self, x):
        k = torch.tanh(self.proj(x))
        w = torch.softmax(k @ self.query, dim=1)
        return self.out((w.unsqueeze(-1) * x).sum(1))
X = torch.randn(256, 6, 16); Y = (X[:, 0, 0] > 0).long()
m = Attn(16)
opt = torch.optim.RMSprop(m.parameters(), lr=1e-3)
for e in range(12):
    for i in range(0, 256, 32):
        opt.zero_grad()
        l = nn.functional.cross_entropy(m(X[i:i+32]), Y[i:i+32])
        l.backward()
        opt.step()
