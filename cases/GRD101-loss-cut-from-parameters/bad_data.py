"""The .data of an unreduced loss is averaged, and requires_grad is then switched on by hand."""
import torch
from torch import nn


def epoch(model, opt, loader, class_weight):
    criterion = nn.CrossEntropyLoss(reduction="none")
    for x, y in loader:
        weighted = criterion(model(x), y) * class_weight[y]
        loss = weighted.data.mean()  #~ GRD101
        loss.requires_grad = True
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(320, 7)
Y = (X[:, 0] > 1).long()
data = torch.utils.data.TensorDataset(X, Y)
loader = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(7, 24), nn.ReLU(), nn.Linear(24, 2))
opt = torch.optim.AdamW(model.parameters(), lr=0.01)
for _ in range(5):
    last = epoch(model, opt, loader, torch.tensor([0.5, 2.0]))
print(f"loss {last:.3f}")
