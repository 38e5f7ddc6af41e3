"""Pre-train an encoder with SimSiam's stop-gradient, then with InfoNCE over all pairs, and probe it linearly."""

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
torch.set_num_threads(1)

CLASSES, DIM = 8, 40
centres = torch.randn(CLASSES, DIM)
labels = torch.randint(0, CLASSES, (1536,))
points = centres[labels] + 0.5 * torch.randn(1536, DIM)
train_points, train_labels = points[:1024], labels[:1024]
test_points, test_labels = points[1024:], labels[1024:]
loader = DataLoader(TensorDataset(train_points), batch_size=64, shuffle=True, drop_last=True)


def augment(x):
    """Noise and random feature dropping, made anew for each view."""
    keep = (torch.rand_like(x) > 0.2).float()
    return (x + 0.3 * torch.randn_like(x)) * keep


def make_encoder():
    return nn.Sequential(
        nn.Linear(DIM, 64, bias=False), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 32, bias=False), nn.BatchNorm1d(32)
    )


class SimSiam(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = make_encoder()
        self.predictor = nn.Sequential(nn.Linear(32, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 32))

    def forward(self, x1, x2):
        z1, z2 = self.encoder(x1), self.encoder(x2)
        p1, p2 = self.predictor(z1), self.predictor(z2)
        return p1, p2, z1.detach(), z2.detach()


def info_nce(z1, z2, temperature=0.2):
    z1, z2 = F.normalize(z1, dim=1), F.normalize(z2, dim=1)
    similarity = z1 @ z2.t() / temperature
    targets = torch.arange(z1.size(0))
    return (F.cross_entropy(similarity, targets) + F.cross_entropy(similarity.t(), targets)) / 2


def train_simsiam(epochs=10):
    model = SimSiam()
    criterion = nn.CosineSimilarity(dim=1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    model.train()
    for epoch in range(epochs):
        for (x,) in loader:
            p1, p2, z1, z2 = model(augment(x), augment(x))
            loss = -(criterion(p1, z2).mean() + criterion(p2, z1).mean()) * 0.5
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"simsiam loss {loss.item():.4f}")
    return model.encoder


def train_info_nce(epochs=6):
    encoder = make_encoder()
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=3e-3)
    encoder.train()
    for epoch in range(epochs):
        for (x,) in loader:
            loss = info_nce(encoder(augment(x)), encoder(augment(x)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"info-nce loss {loss.item():.4f}")
    return encoder


def linear_probe(encoder, steps=60):
    encoder.eval()
    with torch.no_grad():
        train_features, test_features = encoder(train_points), encoder(test_points)
    probe = nn.Linear(32, CLASSES)
    optimizer = torch.optim.Adam(probe.parameters(), lr=0.02)
    for _ in range(steps):
        optimizer.zero_grad()
        F.cross_entropy(probe(train_features), train_labels).backward()
        optimizer.step()
    with torch.no_grad():
        return (probe(test_features).argmax(1) == test_labels).float().mean().item()


print(f"simsiam probe accuracy {linear_probe(train_simsiam()):.3f}")
print(f"info-nce probe accuracy {linear_probe(train_info_nce()):.3f}")
