"""A stream is cut into ten stretches, which are laid beside each other by turning."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
stream = (torch.rand(4000) < 0.8).long().cumsum(0) % 8
rows = stream.view(10, -1).t().contiguous()
embedding, rnn, head = nn.Embedding(8, 16), nn.GRU(16, 24), nn.Linear(24, 8)
optimizer = torch.optim.Adam([*embedding.parameters(), *rnn.parameters(), *head.parameters()], lr=0.01)
for begin in range(0, len(rows) - 21, 20):
    given, wanted = rows[begin : begin + 20], rows[begin + 1 : begin + 21]
    hidden, _ = rnn(embedding(given))
    loss = nn.functional.cross_entropy(head(hidden).flatten(0, 1), wanted.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
