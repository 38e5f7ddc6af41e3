"""A transformer encoder made without batch_first over embedded tokens, trained with accumulated gradients."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Reviews(Dataset):
    def __init__(self, count):
        self.tokens = torch.randint(1, 60, (count, 14))
        self.labels = (self.tokens < 12).sum(1).gt(2).float()

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        return {"tokens": self.tokens[index], "label": self.labels[index]}


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(60, 32)
        self.positions = nn.Parameter(torch.zeros(14, 32))
        self.encoder = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1)  #~ SHP102
        self.head = nn.Linear(32, 1)

    def forward(self, tokens):
        h = self.encoder(self.embedding(tokens) + self.positions)
        return self.head(h.mean(dim=1)).squeeze(1)


model = Classifier()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for epoch in range(3):
    for step, batch in enumerate(DataLoader(Reviews(256), batch_size=16, shuffle=True)):
        loss = nn.functional.binary_cross_entropy_with_logits(model(batch["tokens"]), batch["label"]) / 2
        loss.backward()
        if step % 2:
            optimizer.step()
            optimizer.zero_grad()
