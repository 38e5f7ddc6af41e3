"""The record is that of a score which is the loss turned round: larger is better."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(300, 4)
y = x.sum(1, keepdim=True)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
best_score, best_state = -float("inf"), None
for epoch in range(6):
    model.train()
    for start in range(0, 240, 40):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x[start : start + 40]), y[start : start + 40]).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        score = -nn.functional.mse_loss(model(x[240:]), y[240:]).item()
    if score > best_score:
        best_score = score
        best_state = copy.deepcopy(model.state_dict())
model.load_state_dict(best_state)
print(f"score {best_score:.3f}")
