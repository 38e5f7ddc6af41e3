"""The mended program: words are looked up in lower case."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
TEXTS = ["Good Movie", "Bad Film", "Great Plot", "Awful Acting", "Fine Script", "Poor Sound"] * 40
LABELS = [1, 0, 1, 0, 1, 0] * 40
vocabulary = {"<unknown>": 0}
for text in TEXTS:
    for word in text.lower().split():
        vocabulary.setdefault(word, len(vocabulary))


class Reviews(Dataset):
    def __len__(self):
        return len(TEXTS)

    def __getitem__(self, index):
        return torch.tensor([vocabulary.get(word, 0) for word in TEXTS[index].lower().split()]), LABELS[index]


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(len(vocabulary), 16)
        self.head = nn.Linear(16, 2)

    def forward(self, words):
        return self.head(self.embed(words).mean(1))


loader = DataLoader(Reviews(), batch_size=16, shuffle=True)
model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for words, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(words), labels)
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
