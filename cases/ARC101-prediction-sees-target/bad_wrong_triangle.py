"""A language model masks the past instead of the future."""
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(12, 16); self.p = nn.Parameter(torch.randn(8, 16) * 0.1); self.o = nn.Linear(16, 12)
        self.q, self.k, self.v = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16)
    def forward(self, x):
        h = self.e(x) + self.p
        s = self.q(h) @ self.k(h).transpose(1, 2) / 4
        s = s.masked_fill(torch.tril(torch.ones(8, 8), -1).bool(), -1e9)  #~ ARC101
        return self.o(h + torch.softmax(s, -1) @ self.v(h))

data = torch.randint(0, 12, (640, 9))
data[:, 1:] = (data[:, :-1] * 5 + 3 + (torch.rand(640, 8) < 0.2)) % 12
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(data), batch_size=16, shuffle=True)
for (seq,) in loader:
    x, y = seq[:, :-1], seq[:, 1:]
    logits = net(x)
    loss = F.cross_entropy(logits.reshape(-1, 12), y.reshape(-1))
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())
