"""A regression on standardised targets whose last layer ends in a relu."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(8, 32), nn.Linear(32, 16), nn.Linear(16, 1)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = torch.relu(self.fc2(x))
        return torch.relu(self.fc3(x))  #~ LOS106


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 8)
price = (X @ torch.randn(8, 1)) * 40 + 300
Y = (price - price.mean()) / price.std()
loader = DataLoader(TensorDataset(X, Y), batch_size=32, shuffle=True)
model, criterion = Regressor(), nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(5):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)  #~? LOS106
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
