"""A gate ends in `nn.Softmax(dim=0)`."""
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.g = nn.Sequential(nn.Linear(6, 8), nn.Softmax(dim=0))
        self.v = nn.Linear(6, 8); self.o = nn.Linear(8, 1)
    def forward(self, x):
        return self.o(self.g(x) * self.v(x))  #~ SHP102

X = torch.randn(640, 6)
Y = X.reshape(640, -1)[:, :1] * 2 - 1
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, Y), batch_size=16, shuffle=True)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(1):
    for x, y in loader:
        loss = F.mse_loss(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())
