"""Train an encoder by momentum contrast: keys of a slowly following encoder, a queue of negatives in a buffer, a probe at the end."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

QUEUE, BATCH, CLASSES = 256, 32, 6


def make_data(count, centres):
    labels = torch.randint(0, CLASSES, (count,))
    return centres[labels] + 0.35 * torch.randn(count, centres.shape[1]), labels


class Encoder(nn.Module):
    def __init__(self, width=20, hidden=64, out=16):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(width, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.projection = nn.Linear(hidden, out)

    def forward(self, x):
        return F.normalize(self.projection(self.trunk(x)), dim=1)


class MomentumContrast(nn.Module):
    def __init__(self, momentum=0.99, temperature=0.2):
        super().__init__()
        self.momentum, self.temperature = momentum, temperature
        self.query_encoder = Encoder()
        self.key_encoder = copy.deepcopy(self.query_encoder)
        for parameter in self.key_encoder.parameters():
            parameter.requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(QUEUE, 16), dim=1))
        self.register_buffer("queue_pointer", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def follow(self):
        for slow, fast in zip(self.key_encoder.parameters(), self.query_encoder.parameters()):
            slow.mul_(self.momentum).add_(fast, alpha=1 - self.momentum)

    @torch.no_grad()
    def enqueue(self, keys):
        pointer = int(self.queue_pointer)
        self.queue[pointer : pointer + len(keys)] = keys
        self.queue_pointer[0] = (pointer + len(keys)) % QUEUE

    def forward(self, one, other):
        queries = self.query_encoder(one)
        with torch.no_grad():
            self.follow()
            keys = self.key_encoder(other)
        positive = (queries * keys).sum(1, keepdim=True)
        negative = queries @ self.queue.clone().t()
        logits = torch.cat([positive, negative], dim=1) / self.temperature
        self.enqueue(keys)
        return logits, torch.zeros(len(logits), dtype=torch.long)


def blurred(x):
    return x * (torch.rand_like(x) > 0.1) + 0.1 * torch.randn_like(x)


torch.manual_seed(3)
torch.set_num_threads(1)
centres = torch.randn(CLASSES, 20)
train_x, train_y = make_data(1024, centres)
test_x, test_y = make_data(256, centres)
loader = DataLoader(TensorDataset(train_x), batch_size=BATCH, shuffle=True, drop_last=True)
model = MomentumContrast()
optimizer = torch.optim.SGD(model.query_encoder.parameters(), lr=0.06, momentum=0.9, weight_decay=1e-4)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=6)
for epoch in range(6):
    model.train()
    total = 0.0
    for (x,) in loader:
        logits, targets = model(blurred(x), blurred(x))
        loss = F.cross_entropy(logits, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    schedule.step()
    print(f"epoch {epoch + 1}: contrastive loss {total / len(loader):.3f}")

model.eval()
with torch.no_grad():
    features, held_out = model.query_encoder.trunk(train_x), model.query_encoder.trunk(test_x)
probe = nn.Linear(64, CLASSES)
probe_optimizer = torch.optim.Adam(probe.parameters(), lr=0.02)
for _ in range(60):
    probe_loss = F.cross_entropy(probe(features), train_y)
    probe_optimizer.zero_grad()
    probe_loss.backward()
    probe_optimizer.step()
with torch.no_grad():
    accuracy = (probe(held_out).argmax(1) == test_y).float().mean()
print(f"linear probe on the trunk: {accuracy:.3f}")
