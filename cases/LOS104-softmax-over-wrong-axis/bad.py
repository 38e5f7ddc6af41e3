"""A classifier that ends in a log-softmax over the batch."""
import torch
from torch import nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(12, 32), nn.Linear(32, 4)

    def forward(self, x):
        return F.log_softmax(self.b(F.relu(self.a(x))), dim=0)  #~ LOS104


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 12)
Y = (X @ torch.randn(12, 4)).argmax(1)
net, loss_fn = Net(), nn.NLLLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(5):
    for idx in torch.randperm(256).split(32):
        optimizer.zero_grad()
        loss = loss_fn(net(X[idx]), Y[idx])  #~? LOS104
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
