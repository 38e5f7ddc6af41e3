import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
V = 20
class LM(nn.Module):
    def __init__(s):
        super().__init__(); s.e = nn.Embedding(V, 16); s.g = nn.GRU(16, 16, batch_first=True); s.o = nn.Linear(16, V)
    def forward(s, x): return s.o(s.g(s.e(x))[0])
lm = LM(); opt = torch.optim.Adam(lm.parameters(), 1e-3); D = torch.randint(0, V, (200, 12))
for e in range(6):
    for i in torch.randperm(200).split(20):
        x = D[i]
        l = F.cross_entropy(lm(x).transpose(1, 2), x)  #~ DAT107
        opt.zero_grad(); l.backward(); opt.step()
