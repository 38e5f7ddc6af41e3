"""Routing by agreement: couplings are a softmax over the capsules above, votes are summed over those below."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
images = torch.randn(192, 3, 16, 16)
labels = (images[:, 0, :8].mean((1, 2)) > images[:, 1, 8:].mean((1, 2))).long()
loader = DataLoader(TensorDataset(images, labels), batch_size=24, shuffle=True)


class Net(nn.Module):
    def __init__(self, below=16, above=2):
        super().__init__()
        self.conv = nn.Conv2d(3, 32, 6, stride=5)
        self.votes = nn.Parameter(torch.randn(above, 36, 8, 8) / 8)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        capsules = self.conv(x).view(len(x), 36, 8)
        votes = torch.einsum("aiuv,biv->baiu", self.votes, capsules)
        logits = torch.zeros(len(x), 2, 36)
        for _ in range(3):
            couplings = logits.softmax(dim=1)
            out = (couplings.unsqueeze(-1) * votes).sum(2)
            out = out * out.norm(dim=-1, keepdim=True) / (1 + out.pow(2).sum(-1, keepdim=True))
            logits = logits + (votes * out.unsqueeze(2)).sum(-1)
        return out.norm(dim=-1) * 5


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
