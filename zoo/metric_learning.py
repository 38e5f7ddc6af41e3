"""Embed spectra with a triplet loss over all pairs of a batch, and look new substances up among each other by recall at 1 and 4."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Sampler, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)

CLASSES, SEEN = 36, 24


class ByClass(Sampler):
    """Batches of four classes with eight samples of each."""

    def __init__(self, labels, batches):
        self.rows = [(labels == label).nonzero().squeeze(1) for label in labels.unique()]
        self.batches = batches

    def __len__(self):
        return self.batches

    def __iter__(self):
        for _ in range(self.batches):
            chosen = torch.randperm(len(self.rows))[:4]
            yield torch.cat([self.rows[row][torch.randperm(len(self.rows[row]))[:8]] for row in chosen]).tolist()


class Embedder(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU())
        self.head = nn.Linear(64, width)

    def forward(self, x):
        return F.normalize(self.head(self.body(x)), dim=1)


def hardest(z, labels, margin=0.3):
    """The triplet loss of the farthest sample of the same class and the nearest one of another."""
    distance = (2 - 2 * z @ z.T).clamp(min=1e-6).sqrt()
    same = labels[:, None] == labels[None, :]
    itself = torch.eye(len(labels), dtype=torch.bool)
    far = distance.masked_fill(~same | itself, 0).amax(dim=1)
    near = distance.masked_fill(same, torch.inf).amin(dim=1)
    return F.relu(far - near + margin).mean()


@torch.no_grad()
def recall(model, x, labels, places=(1, 4)):
    model.eval()
    z = model(x)
    similarity = z @ z.T
    similarity.fill_diagonal_(-torch.inf)
    hits = labels[similarity.topk(max(places), dim=1).indices] == labels[:, None]
    return [hits[:, :count].any(dim=1).float().mean().item() for count in places]


labels = torch.randint(CLASSES, (1800,))
lines, background = torch.randn(6, 64), torch.randn(12, 64)  # what tells substances apart, and what does not
spectra = torch.randn(CLASSES, 6)[labels] @ lines + 1.5 * torch.randn(1800, 12) @ background + 0.5 * torch.randn(1800, 64)
seen = labels < SEEN
loader = DataLoader(TensorDataset(spectra[seen], labels[seen]), batch_sampler=ByClass(labels[seen], 30))
new_spectra, new_labels = spectra[~seen], labels[~seen]
model = Embedder()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
print("before: recall " + ", ".join(f"{share:.2f}" for share in recall(model, new_spectra, new_labels)))
for epoch in range(5):
    model.train()
    total = 0.0
    for x, y in loader:
        loss = hardest(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    shares = ", ".join(f"{share:.2f}" for share in recall(model, new_spectra, new_labels))
    print(f"epoch {epoch + 1}: loss {total / len(loader):.3f}, recall {shares}")
