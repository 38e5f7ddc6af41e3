"""The weight of the rare positive class is positives over negatives, the wrong way round."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(800, 5)
y = (x[:, 0] + 0.5 * torch.randn(800) > 1.4).float()
model = nn.Linear(5, 1)
criterion = nn.BCEWithLogitsLoss(pos_weight=y.sum() / (1 - y).sum())
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for step in range(30):
    rows = torch.randint(0, 800, (80,))
    loss = criterion(model(x[rows]).squeeze(1), y[rows])  #~ LOS121
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
