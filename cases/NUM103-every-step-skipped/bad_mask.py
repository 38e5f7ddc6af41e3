"""Rows of padding alone are masked whole in attention, and their softmax is NaN in every batch."""
import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.score, self.out = nn.Embedding(20, 8), nn.Linear(8, 1), nn.Linear(8, 2)

    def forward(self, ids):
        h = self.words(ids)
        score = self.score(h).squeeze(2).masked_fill(ids == 0, float("-inf"))
        weight = score.softmax(1)  #~ NUM103
        return self.out((weight.unsqueeze(2) * h).sum(1))


torch.manual_seed(0)
torch.set_num_threads(1)
ids = torch.randint(0, 20, (480, 4))
ids[::16] = 0
labels = (ids.sum(1) > 38).long()
model = Pool()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")
for start in range(0, 480, 16):
    logits = model(ids[start : start + 16])
    loss = nn.functional.cross_entropy(logits, labels[start : start + 16])
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
print(f"scale {scaler.get_scale():g}")
