"""The running loss is added up as a number, the losses are kept detached, and the last loss is still at hand."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(512, 10)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
losses, last = [], None
for epoch in range(3):
    running_loss = 0.0
    for rows in torch.randperm(512).split(16):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running_loss += loss.item() * len(rows)
        losses.append(loss.detach())
        last = loss
    print(f"epoch {epoch}: loss {running_loss / 512:.3f}, last {last.item():.3f}")
print(f"{torch.stack(losses).mean():.3f}")
