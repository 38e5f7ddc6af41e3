"""Train a small transformer on one long text, cut into columns as in the language-model example of PyTorch: time first."""

import math

import torch
from torch import nn

torch.manual_seed(1)
torch.set_num_threads(1)
LETTERS, BPTT = 24, 20


def make_text(length):
    """Each letter is one of three that may come after the one before it, the first of them most often."""
    following = torch.stack([torch.randperm(LETTERS)[:3] for _ in range(LETTERS)])
    choices = torch.multinomial(torch.tensor([0.7, 0.2, 0.1]), length, replacement=True).tolist()
    text, letter = [], 0
    for choice in choices:
        letter = int(following[letter, choice])
        text.append(letter)
    return torch.tensor(text)


def batchify(data, columns):
    rows = data.size(0) // columns
    return data[: rows * columns].view(columns, rows).t().contiguous()


def get_batch(source, i):
    length = min(BPTT, len(source) - 1 - i)
    return source[i : i + length], source[i + 1 : i + 1 + length].reshape(-1)


class PositionalEncoding(nn.Module):
    def __init__(self, width, longest=64):
        super().__init__()
        position = torch.arange(longest).unsqueeze(1)
        rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        table = torch.zeros(longest, 1, width)
        table[:, 0, 0::2] = torch.sin(position * rates)
        table[:, 0, 1::2] = torch.cos(position * rates)
        self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[: x.size(0)]


class TransformerModel(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embedding = nn.Embedding(LETTERS, width)
        self.position = PositionalEncoding(width)
        layer = nn.TransformerEncoderLayer(width, nhead=4, dim_feedforward=64, dropout=0.1)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.decoder = nn.Linear(width, LETTERS)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)

    def forward(self, tokens):
        mask = nn.Transformer.generate_square_subsequent_mask(len(tokens))
        x = self.position(self.embedding(tokens) * math.sqrt(32))
        return self.decoder(self.encoder(x, mask=mask, is_causal=True))


text = make_text(16_000)
train_data, val_data = batchify(text[:14_000], 20), batchify(text[14_000:], 10)
model = TransformerModel()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.9)


def evaluate(source):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for i in range(0, source.size(0) - 1, BPTT):
            data, targets = get_batch(source, i)
            total += len(data) * criterion(model(data).view(-1, LETTERS), targets).item()
    return total / (len(source) - 1)


for epoch in range(1, 5):
    model.train()
    for i in range(0, train_data.size(0) - 1, BPTT):
        data, targets = get_batch(train_data, i)
        optimizer.zero_grad()
        loss = criterion(model(data).view(-1, LETTERS), targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
    validation = evaluate(val_data)
    scheduler.step()
    print(f"epoch {epoch}: validation loss {validation:.3f}, perplexity {math.exp(validation):.2f}")
