"""The beats are laid out with time first, as a GRU made without batch_first wants them."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class BeatClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.leads = nn.Linear(3, 8)
        self.memory = nn.GRU(8, 16)
        self.norm = nn.LayerNorm(16)
        self.kinds = nn.Linear(16, 3)

    def forward(self, beats):
        states = self.memory(torch.relu(self.leads(beats)).transpose(0, 1))[0]
        return self.kinds(self.norm(states[-1]))


beats = torch.randn(1500, 64, 3)
kinds = beats.mean((1, 2)).gt(0).long() + beats[:, -1, 0].gt(1).long()
model = BeatClassifier()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    for batch, kind in DataLoader(TensorDataset(beats, kinds), batch_size=150, shuffle=True):
        loss = F.cross_entropy(model(batch), kind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"{loss.item():.3f}")
