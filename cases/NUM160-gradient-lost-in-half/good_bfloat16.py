"""The same in bfloat16, which reaches as far down as float32."""

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
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(x)
        loss = 0.03 * nn.functional.cross_entropy(logits, y) / parts
    loss.backward()
    if part % parts == parts - 1:
        optimizer.step()
        optimizer.zero_grad()
print(f"loss {loss.item():.5f}")
