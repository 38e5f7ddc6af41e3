"""A stacked RNN gets its batch first."""
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.RNN(6, 8, num_layers=2, dropout=0.1); self.o = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 1))  #~ SHP102
    def forward(self, x):
        h = self.a(x)[0]
        return self.o(h[:, -1])

X = torch.randn(640, 5, 6)
Y = X.reshape(640, -1)[:, :1] * 2 - 1
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, Y), batch_size=32, shuffle=True)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(1):
    for x, y in loader:
        loss = F.mse_loss(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())
