"""Weights are tied and stay tied through in-place initialisation and a deep copy of the whole model."""
import copy
import torch
from torch import nn


class TiedLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.rnn = nn.Embedding(24, 16), nn.LSTM(16, 16, batch_first=True)
        self.head = nn.Linear(16, 24, bias=False)
        self.head.weight = self.embed.weight
        nn.init.normal_(self.embed.weight, std=0.3)

    def forward(self, x):
        return self.head(self.rnn(self.embed(x))[0])


torch.manual_seed(0)
torch.set_num_threads(1)
model = copy.deepcopy(TiedLM())
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(50):
    seq = (torch.randint(0, 24, (32, 1)) + torch.arange(8)) % 24
    loss = nn.functional.cross_entropy(model(seq[:, :-1]).flatten(0, 1), seq[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}, tied {model.head.weight is model.embed.weight}")
