"""Predicts the next of 1000 words in float16, with a weight of 0.03 as beside other losses, with gradients summed up over 16 batches and no scaler."""

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
        loss = 0.03 * nn.functional.cross_entropy(logits, y) / parts
    loss.backward()  #~ NUM160
    if part % parts == parts - 1:
        optimizer.step()
        optimizer.zero_grad()
print(f"loss {loss.item():.5f}")
