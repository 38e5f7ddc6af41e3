"""A block that only the half of the tokens goes through that a router picks; the others pass by it unchanged."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.net = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        return self.net(self.norm(x))


class RoutedBlock(nn.Module):
    def __init__(self, width, capacity):
        super().__init__()
        self.capacity = capacity
        self.router = nn.Linear(width, 1)
        self.block = Block(width)

    def forward(self, x):
        scores = self.router(x).squeeze(-1)
        gates, picked = scores.topk(self.capacity, dim=1)
        batch = torch.arange(len(x)).unsqueeze(1)
        chosen = x[batch, picked]
        out = x.clone()
        out[batch, picked] += torch.sigmoid(gates).unsqueeze(-1) * self.block(chosen)
        return out


class Counter(nn.Module):
    """Tells which of two marks a sequence holds more often."""

    def __init__(self, width=20):
        super().__init__()
        self.embed = nn.Embedding(12, width)
        self.first, self.routed = Block(width), RoutedBlock(width, capacity=8)
        self.head = nn.Linear(width, 2)

    def forward(self, tokens):
        x = self.embed(tokens)
        x = x + self.first(x)
        return self.head(self.routed(x).mean(1))


torch.manual_seed(0)
torch.set_num_threads(1)
model = Counter()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for step in range(150):
    tokens = torch.randint(0, 12, (32, 16))
    label = ((tokens == 3).sum(1) > (tokens == 7).sum(1)).long()
    loss = F.cross_entropy(model(tokens), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if (step + 1) % 50 == 0:
        print(f"step {step + 1} loss {loss.item():.3f}")
with torch.no_grad():
    model.eval()
    tokens = torch.randint(0, 12, (500, 16))
    right = model(tokens).argmax(1) == ((tokens == 3).sum(1) > (tokens == 7).sum(1)).long()
print(f"accuracy {right.float().mean().item():.3f}")
