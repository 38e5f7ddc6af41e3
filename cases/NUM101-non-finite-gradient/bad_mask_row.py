"""A document of padding alone has every position masked, and the softmax over such a row is NaN."""
import torch
from torch import nn


class Attend(nn.Module):
    def __init__(self, size=16):
        super().__init__()
        self.words = nn.Embedding(30, size, padding_idx=0)
        self.query, self.key, self.out = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, 2)

    def forward(self, ids, mask):
        h = self.words(ids)
        score = self.query(h) @ self.key(h).transpose(1, 2) / 4
        score = score.masked_fill(~mask[:, None, :], float("-inf"))
        return self.out((score.softmax(-1) @ h).mean(1))  #~ NUM101


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def step(self, batch):
        loss = nn.functional.cross_entropy(self.model(batch["ids"], batch["mask"]), batch["label"])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
torch.set_num_threads(1)
ids = torch.randint(1, 30, (480, 7))
ids[:, 5:] = 0
ids[333] = 0
trainer = Trainer(Attend())
for start in range(0, 480, 12):
    rows = ids[start : start + 12]
    last = trainer.step({"ids": rows, "mask": rows > 0, "label": (rows[:, 0] > 15).long()})
print(f"loss {last:.3f}")
