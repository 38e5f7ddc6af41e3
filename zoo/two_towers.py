"""Train two encoders on pairs of pictures and captions, as CLIP does: cosines, a learned temperature, a symmetric loss."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)

WORDS, LENGTH, TOPICS = 40, 6, 64


class TextTower(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, width)
        self.projection = nn.Linear(width, width)

    def forward(self, words):
        return self.projection(self.embedding(words).mean(dim=1))


class TwoTowers(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.image = nn.Sequential(nn.Flatten(), nn.Linear(64, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, width))
        self.text = TextTower(width)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def forward(self, images, words):
        seen = F.normalize(self.image(images), dim=-1)
        told = F.normalize(self.text(words), dim=-1)
        return self.log_scale.exp().clamp(max=100) * seen @ told.t()


patterns, vocabulary = torch.randn(TOPICS, 8, 8), torch.randint(WORDS, (TOPICS, LENGTH))
topics = torch.randint(TOPICS, (1600,))
images = patterns[topics] + 0.5 * torch.randn(1600, 8, 8)
words = vocabulary[topics].gather(1, torch.rand(1600, LENGTH).argsort(dim=1))
train_loader = DataLoader(TensorDataset(images[:1280], words[:1280]), batch_size=32, shuffle=True, drop_last=True)

model = TwoTowers()
decayed = [parameter for parameter in model.parameters() if parameter.ndim > 1]
others = [parameter for parameter in model.parameters() if parameter.ndim <= 1]
optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}], lr=2e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=6 * len(train_loader))

for epoch in range(6):
    model.train()
    total = 0.0
    for seen, told in train_loader:
        logits = model(seen, told)
        pairs = torch.arange(len(seen))
        loss = (F.cross_entropy(logits, pairs) + F.cross_entropy(logits.t(), pairs)) / 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        total += loss.item()
    model.eval()
    with torch.no_grad():
        found = model(images[1280:1344], words[1280:1344]).argmax(dim=1)
        matched = (topics[1280:1344][found] == topics[1280:1344]).float().mean().item()
    print(f"epoch {epoch + 1}: loss {total / len(train_loader):.3f}, matched {matched:.2f}")
