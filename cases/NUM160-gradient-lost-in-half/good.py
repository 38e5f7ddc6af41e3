"""The mended program: the loss is scaled."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
words, parts = 1000, 16
model = nn.Sequential(nn.Embedding(words, 32), nn.Linear(32, words))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")
for part in range(2 * parts):
    x = torch.randint(words, (128,))
    y = (x + 1) % words
    with torch.autocast("cpu", dtype=torch.float16):
        logits = model(x)
        loss = 0.03 * nn.functional.cross_entropy(logits, y) / parts
    scaler.scale(loss).backward()
    if part % parts == parts - 1:
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
print(f"loss {loss.item():.5f}")
