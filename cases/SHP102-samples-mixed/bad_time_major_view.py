"""What a recurrent layer gives with time first is brought to batch first by a view."""
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.r = nn.LSTM(4, 8); self.o = nn.Linear(40, 1)
    def forward(self, x):
        out, _ = self.r(x.transpose(0, 1))
        out = out.contiguous().view(x.shape[0], 5, 8)  #~ SHP102
        return self.o(out.flatten(1))

X = torch.randn(640, 5, 4)
Y = X.reshape(640, -1)[:, :1] * 2 - 1
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, Y), batch_size=16, shuffle=True)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(1):
    for x, y in loader:
        loss = F.mse_loss(net(x), y)
        opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())
