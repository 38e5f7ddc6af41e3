"""A moving average of the weights is kept under no_grad in each step, and validation never calls eval()."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(480, 12)
Y = (X @ torch.randn(12, 4)).argmax(1)
model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Dropout(0.6), nn.Linear(64, 4))
average = [parameter.detach().clone() for parameter in model.parameters()]
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(6):
    model.train()
    for start in range(0, 320, 32):
        x, y = X[start : start + 32], Y[start : start + 32]
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)
        optimizer.step()
        with torch.no_grad():
            for kept, parameter in zip(average, model.parameters()):
                kept.lerp_(parameter, 0.1)
    with torch.no_grad():
        accuracy = (model(X[320:]).argmax(1) == Y[320:]).float().mean().item()  #~ MOD102
    print(f"epoch {epoch}: {accuracy:.3f}")
