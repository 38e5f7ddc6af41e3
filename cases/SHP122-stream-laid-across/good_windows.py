"""Overlapping windows of one stream, batch first, each with the window one step behind it."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
stream = (torch.rand(4000) < 0.8).long().cumsum(0) % 8
given, wanted = stream[:-1].unfold(0, 16, 16), stream[1:].unfold(0, 16, 16)
embedding, rnn, head = nn.Embedding(8, 16), nn.GRU(16, 24, batch_first=True), nn.Linear(24, 8)
optimizer = torch.optim.Adam([*embedding.parameters(), *rnn.parameters(), *head.parameters()], lr=0.01)
for begin in range(0, len(given), 16):
    hidden, _ = rnn(embedding(given[begin : begin + 16]))
    loss = nn.functional.cross_entropy(head(hidden).transpose(1, 2), wanted[begin : begin + 16])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
