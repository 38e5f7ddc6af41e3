"""A corpus holds its text as rows of a batch's size, and the script trains an LSTM on runs of these rows."""
import torch
from torch import nn


class Corpus:
    def __init__(self, text, batch_size):
        letters = sorted(set(text))
        self.size = len(letters)
        ids = torch.tensor([letters.index(letter) for letter in text])
        self.rows = self.batched(ids, batch_size)

    @staticmethod
    def batched(ids, batch_size):
        rows = ids.numel() // batch_size
        return ids[: rows * batch_size].reshape((rows, batch_size))  #~ SHP122

    def parts(self, length):
        for begin in range(0, len(self.rows) - length, length):
            yield self.rows[begin : begin + length], self.rows[begin + 1 : begin + length + 1].view(-1)


torch.manual_seed(0)
torch.set_num_threads(1)
words = "rain falls on the old stone bridge while boats drift slowly under grey morning light".split()
text = " ".join(words[number] for number in torch.randint(0, len(words), (900,)).tolist())
corpus = Corpus(text, 12)
embedding, lstm, head = nn.Embedding(corpus.size, 16), nn.LSTM(16, 32), nn.Linear(32, corpus.size)
optimizer = torch.optim.Adam([*embedding.parameters(), *lstm.parameters(), *head.parameters()], lr=0.01)
for epoch in range(2):
    for given, wanted in corpus.parts(15):
        hidden, _ = lstm(embedding(given))
        loss = nn.functional.cross_entropy(head(hidden).flatten(0, 1), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
