"""The gate of a mixture is normalised over the batch instead of over the experts."""
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.g = nn.Linear(6, 4); self.e = nn.ModuleList(nn.Linear(6, 8) for _ in range(4)); self.o = nn.Linear(8, 1)
    def forward(self, x):
        g = self.g(x).softmax(0)  #~ SHP102
        return self.o(F.relu(sum(g[:, i : i + 1] * e(x) for i, e in enumerate(self.e))))

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
