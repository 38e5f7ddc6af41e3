#~ crash: GRD202
#~ edit: loss computed anew after it
import torch
from torch import nn

torch.manual_seed(0)
G, D = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8)), nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt_g, opt_d = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
bce = nn.BCEWithLogitsLoss()
for real in torch.randn(96, 8).split(32):
    fake = G(torch.randn(32, 4))
    score = D(fake)
    d_loss = bce(D(real), torch.ones(32, 1)) + bce(D(fake.detach()), torch.zeros(32, 1))
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()  #~ maker
    g_loss = bce(score, torch.ones(32, 1))
    opt_g.zero_grad()
    g_loss.backward()  #~ fails
    opt_g.step()
print("done")
