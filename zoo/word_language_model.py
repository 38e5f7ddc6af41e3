"""Train an LSTM language model with one layer of causal attention on top; padded sentences, positions first."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(11)
torch.set_num_threads(1)
PAD, WORDS, LONGEST = 0, 32, 18


def make_corpus(count):
    """Sentences in which each word is one of two that may follow the word before it."""
    following = torch.randint(1, WORDS, (WORDS, 2))
    sentences = torch.zeros(count, LONGEST, dtype=torch.long)
    for row, length in enumerate(torch.randint(8, LONGEST + 1, (count,)).tolist()):
        word = int(torch.randint(1, WORDS, ()))
        for place in range(length):
            sentences[row, place] = word
            word = int(following[word, int(torch.randint(0, 2, ()))])
    return sentences


class CausalAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.register_buffer("ahead", torch.ones(LONGEST, LONGEST).triu(1).bool())

    def forward(self, x):
        """Takes and returns [time, batch, width]."""
        length = x.shape[0]
        scores = torch.einsum("ibc,jbc->bij", self.query(x), self.key(x)) / x.shape[-1] ** 0.5
        scores = scores.masked_fill(self.ahead[:length, :length], -1e9)
        return torch.einsum("bij,jbc->ibc", scores.softmax(-1), self.value(x))


class WordModel(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, width, padding_idx=PAD)
        self.lstm = nn.LSTM(width, width, num_layers=2, dropout=0.1)
        self.attention = CausalAttention(width)
        self.norm = nn.LayerNorm(width)
        self.decoder = nn.Linear(width, WORDS)
        self.decoder.weight = self.embedding.weight

    def forward(self, tokens):
        hidden, _ = self.lstm(self.embedding(tokens))
        hidden = self.norm(hidden + self.attention(hidden))
        return self.decoder(hidden)


def loss_of(model, batch):
    batch = batch.t().contiguous()
    logits = model(batch[:-1])
    return F.cross_entropy(logits.view(-1, WORDS), batch[1:].reshape(-1), ignore_index=PAD)


corpus = make_corpus(700)
loader = DataLoader(TensorDataset(corpus[:600]), batch_size=25, shuffle=True)
model = WordModel()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
for epoch in range(5):
    model.train()
    for (batch,) in loader:
        loss = loss_of(model, batch)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    scheduler.step()
    model.eval()
    with torch.no_grad():
        print(f"epoch {epoch + 1}: train {loss.item():.3f}, held out {loss_of(model, corpus[600:]).item():.3f}")
