"""Classify reviews of different length with a GRU and attention pooling; masks come from the lengths."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, random_split

torch.manual_seed(7)
torch.set_num_threads(1)
PAD, VOCABULARY, LONGEST = 0, 60, 20


class Reviews(Dataset):
    def __init__(self, count):
        self.lengths = torch.randint(5, LONGEST, (count,))
        self.tokens = torch.randint(1, VOCABULARY, (count, LONGEST))
        self.tokens[torch.arange(LONGEST)[None] >= self.lengths[:, None]] = PAD
        good, bad = (self.tokens > 50).sum(1), ((self.tokens > 0) & (self.tokens < 10)).sum(1)
        self.labels = (good > bad).long()

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        return {"tokens": self.tokens[index], "length": self.lengths[index], "label": self.labels[index]}


class AttentionPooling(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, hidden, mask):
        scores = self.score(hidden).squeeze(-1)
        weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=1)
        return torch.einsum("bt,btc->bc", weights, hidden)


class Classifier(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width, padding_idx=PAD)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.pool = AttentionPooling(width)
        self.head = nn.Sequential(nn.LayerNorm(width), nn.Dropout(0.1), nn.Linear(width, 2))

    def forward(self, tokens, length):
        mask = torch.arange(tokens.shape[1]) < length[:, None]
        hidden, _ = self.gru(self.embedding(tokens))
        return self.head(self.pool(hidden, mask))


train_set, valid_set = random_split(Reviews(800), [640, 160])
train_loader = DataLoader(train_set, batch_size=32, shuffle=True, drop_last=True)
valid_loader = DataLoader(valid_set, batch_size=80)
model = Classifier()
optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-2)
criterion = nn.CrossEntropyLoss()
for epoch in range(5):
    model.train()
    for batch in train_loader:
        loss = criterion(model(batch["tokens"], batch["length"]), batch["label"])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
    model.eval()
    with torch.no_grad():
        right = sum((model(b["tokens"], b["length"]).argmax(1) == b["label"]).sum().item() for b in valid_loader)
    print(f"epoch {epoch}: last loss {loss.item():.3f}, accuracy {right / len(valid_set):.3f}")
