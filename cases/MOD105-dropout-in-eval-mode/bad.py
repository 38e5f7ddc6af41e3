"""F.dropout without `training=`: the evaluation drops half of the features too."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(10, 64), nn.Linear(64, 3)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.dropout(x, 0.5)  #~ MOD105
        return self.fc2(x)


def accuracy(model, loader):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for x, y in loader:
            right += (model(x).argmax(1) == y).sum().item()
            total += len(y)
    return right / total


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(384, 10)
Y = (X @ torch.randn(10, 3)).argmax(1)
train = DataLoader(TensorDataset(X[:256], Y[:256]), batch_size=32, shuffle=True)
test = DataLoader(TensorDataset(X[256:], Y[256:]), batch_size=64)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(4):
    model.train()
    for x, y in train:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    print(f"epoch {epoch} accuracy {accuracy(model, test):.3f}")
