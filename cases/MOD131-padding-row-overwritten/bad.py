import torch, torch.nn as nn
torch.manual_seed(0)
class Text(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 16, padding_idx=0)
        self.fc = nn.Linear(16, 2)
        nn.init.xavier_uniform_(self.emb.weight)  #~ MOD131
    def forward(self, x): return self.fc(self.emb(x).mean(1))
X = torch.randint(1, 30, (300, 12))
for r in range(300): X[r, torch.randint(3, 12, (1,)).item():] = 0
Y = (X[:, 0] > 15).long()
m = Text(); opt = torch.optim.Adam(m.parameters(), 1e-2)
for ep in range(8):
    for i in torch.randperm(300).split(30):
        opt.zero_grad(); nn.functional.cross_entropy(m(X[i]), Y[i]).backward(); opt.step()
