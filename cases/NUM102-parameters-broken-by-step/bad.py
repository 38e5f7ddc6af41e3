"""A classifier is turned into float16 whole and trained with Adam, whose eps is 0 in float16: units that never fired are updated by 0 / 0."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(256, 16)
x[:, 3] = 0.0
y = (x[:, 0] + x[:, 1] > 0).long()
model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 2)).half()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  #~ NUM102
loss_function = nn.CrossEntropyLoss()
for epoch in range(5):
    for batch in torch.randperm(256).split(32):
        logits = model(x[batch].half())
        loss = loss_function(logits.float(), y[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
