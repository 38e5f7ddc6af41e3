"""A tagger of padded sentences ignores tag 0, which stands for padding, and counts the tokens that are none."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
lengths = torch.randint(3, 10, (160,))
tokens = torch.randint(1, 30, (160, 9))
tokens[torch.arange(9) >= lengths[:, None]] = 0
tags = torch.where(tokens > 0, tokens % 4 + 1, 0)
train = DataLoader(TensorDataset(tokens[:128], tags[:128]), batch_size=16, shuffle=True)
held = DataLoader(TensorDataset(tokens[128:], tags[128:]), batch_size=16)
model = nn.Sequential(nn.Embedding(30, 16, padding_idx=0), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss(ignore_index=0)
for epoch in range(3):
    for x, y in train:
        loss = criterion(model(x).flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    right = count = 0
    with torch.no_grad():
        for x, y in held:
            real = y != 0
            right += (model(x).argmax(-1)[real] == y[real]).sum().item()
            count += real.sum().item()
    print(f"{right / count:.3f}")
