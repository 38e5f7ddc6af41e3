"""In float16 without a scaler, with a loss that is summed up: its gradients are large enough."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
words, parts = 1000, 16
model = nn.Sequential(nn.Embedding(words, 32), nn.Linear(32, words))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for part in range(2 * parts):
    x = torch.randint(words, (128,))
    y = (x + 1) % words
    with torch.autocast("cpu", dtype=torch.float16):
        logits = model(x)
        loss = nn.functional.cross_entropy(logits, y, reduction="sum")
    loss.backward()
    if part % parts == parts - 1:
        optimizer.step()
        optimizer.zero_grad()
print(f"loss {loss.item():.5f}")
