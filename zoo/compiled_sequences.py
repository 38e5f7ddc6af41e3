"""Train a compiled text classifier on batches that are padded to their longest sentence, so that shapes change from batch to batch."""

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)

VOCABULARY, CLASSES = 60, 3


def sentence():
    topic = int(torch.randint(CLASSES, ()))
    length = int(torch.randint(4, 17, ()))
    words = torch.randint(1, VOCABULARY, (length,))
    signal = torch.rand(length) < 0.4
    words[signal] = 1 + topic * 15 + words[signal] % 15
    return words, topic


def collate(items):
    words, topics = zip(*items, strict=True)
    return pad_sequence(words, batch_first=True, padding_value=0), torch.tensor(topics)


class BagOfWords(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 32, padding_idx=0)
        self.head = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, CLASSES))

    def forward(self, words):
        mask = (words != 0).unsqueeze(-1)
        pooled = (self.embedding(words) * mask).sum(1) / mask.sum(1)
        return self.head(pooled)


data = [sentence() for _ in range(800)]
train_loader = DataLoader(data[:640], batch_size=32, shuffle=True, collate_fn=collate)
test_loader = DataLoader(data[640:], batch_size=80, collate_fn=collate)
model = torch.compile(BagOfWords(), backend="aot_eager", dynamic=True)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(5):
    model.train()
    for words, topics in train_loader:
        loss = nn.functional.cross_entropy(model(words), topics)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    model.eval()
    hits = 0
    with torch.no_grad():
        for words, topics in test_loader:
            hits += (model(words).argmax(dim=1) == topics).sum().item()
    print(f"epoch {epoch + 1}: loss {loss.item():.3f}, test accuracy {hits / 160:.3f}")
