"""Two views of a signal are brought together; the slow copy runs with gradients, and the optimizer holds it as well."""

import copy

import torch
from torch import nn


class Views(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 16))
        self.predictor = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 16))
        self.slow = copy.deepcopy(self.encoder)

    @torch.no_grad()
    def follow(self, momentum=0.95):
        for mine, theirs in zip(self.slow.parameters(), self.encoder.parameters()):
            mine.mul_(momentum).add_(theirs, alpha=1 - momentum)

    def forward(self, a, b):
        wanted = self.slow(b)  #~? OPT122
        return 1 - nn.functional.cosine_similarity(self.predictor(self.encoder(a)), wanted).mean()


torch.manual_seed(0)
torch.set_num_threads(1)
model = Views()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)  #~ OPT122
for step in range(40):
    x = torch.randn(64, 12)
    loss = model(x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    model.follow()
print(f"loss {loss.item():.3f}")
