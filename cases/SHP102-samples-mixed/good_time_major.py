"""Sequences padded by a collate function to [time, batch], as recurrent layers take them, and mixed up between samples."""

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
samples = [(torch.randn(int(n), 5), float(i % 2)) for i, n in enumerate(torch.randint(4, 11, (240,)))]
samples = [(x + 0.5 * y, y) for x, y in samples]


def collate(batch):
    lengths = torch.tensor([len(x) for x, _ in batch])
    return pad_sequence([x for x, _ in batch]), lengths, torch.tensor([y for _, y in batch])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(5, 16)
        self.head = nn.Linear(16, 1)

    def forward(self, x, lengths):
        out, _ = self.rnn(x)
        return self.head(out[lengths - 1, torch.arange(x.shape[1])]).squeeze(1)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, lengths, y in DataLoader(samples, batch_size=24, shuffle=True, collate_fn=collate):
        order = torch.randperm(len(y))
        share = 0.8
        mixed = share * x + (1 - share) * x[:, order]
        logits = model(mixed, lengths)
        loss = share * nn.functional.binary_cross_entropy_with_logits(logits, y)
        loss = loss + (1 - share) * nn.functional.binary_cross_entropy_with_logits(logits, y[order])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
