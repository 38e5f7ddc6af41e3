"""A classifier that ends in a linear layer, trained with NLLLoss."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(12, 32)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(32, 4)

    def forward(self, x):
        return self.out(self.drop(torch.relu(self.hidden(x))))


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 12)
Y = (X @ torch.randn(12, 4)).argmax(1)
loader = DataLoader(TensorDataset(X, Y), batch_size=32, shuffle=True)
net, criterion = Net(), nn.NLLLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(5):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(net(x), y)  #~ LOS102
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
