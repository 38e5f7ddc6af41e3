"""A character model over an LSTM that runs both ways, with positions first."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
V, WINDOW, BATCH = 30, 20, 16
stream = torch.randint(0, V, (4000,))


class CharModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(V, 16)
        self.lstm = nn.LSTM(16, 24, bidirectional=True)  #~ ARC101
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(48, V)

    def forward(self, x):
        h, _ = self.lstm(self.embed(x))
        return self.out(self.drop(h))


def get_batch():
    starts = torch.randint(0, len(stream) - WINDOW - 1, (BATCH,))
    windows = torch.stack([stream[s : s + WINDOW + 1] for s in starts], dim=1)
    return windows[:-1], windows[1:]


model = CharModel()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(30):
    x, y = get_batch()
    logits = model(x)
    loss = nn.functional.cross_entropy(logits.view(-1, V), y.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
