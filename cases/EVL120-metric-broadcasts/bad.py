"""A binary classifier whose accuracy compares a column of predictions with a row of labels, while its loss does it right."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(400, 8)
y = (X[:, 0] > 0).float()
train = DataLoader(TensorDataset(X[:300], y[:300]), batch_size=32, shuffle=True)
val = DataLoader(TensorDataset(X[300:], y[300:]), batch_size=20)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
lossf = nn.BCEWithLogitsLoss()


def evaluate():
    model.eval()
    correct = 0
    with torch.no_grad():
        for xb, yb in val:
            p = torch.sigmoid(model(xb)) > 0.5
            correct += (p == yb).float().mean().item()  #~ EVL120
    return correct / len(val)


for e in range(3):
    model.train()
    for xb, yb in train:
        opt.zero_grad()
        loss = lossf(model(xb).squeeze(1), yb)
        loss.backward()
        opt.step()
    print(e, evaluate())
