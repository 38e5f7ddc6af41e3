"""The losses of four windows are summed, and the state is detached between them: within each window gradient does flow through time."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
tokens = torch.randint(10, (24, 33))
embed, rnn, head = nn.Embedding(10, 8), nn.LSTM(8, 16, batch_first=True), nn.Linear(16, 10)
optimizer = torch.optim.Adam([*embed.parameters(), *rnn.parameters(), *head.parameters()], lr=0.01)
for step in range(12):
    state, loss = None, 0.0
    for begin in range(0, 32, 8):
        out, state = rnn(embed(tokens[:, begin : begin + 8]), state)
        state = tuple(part.detach() for part in state)
        loss = loss + nn.functional.cross_entropy(head(out).flatten(0, 1), tokens[:, begin + 1 : begin + 9].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
