"""Metric learning with a memory of embeddings of earlier batches, filled in turns by index, and triplets mined from it."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(5)
torch.set_num_threads(1)
IDENTITIES, VIEWS, WIDTH = 24, 30, 18


class Memory(nn.Module):
    """Embeddings and identities of the last batches; -1 where nothing was kept yet."""

    def __init__(self, size, width):
        super().__init__()
        self.register_buffer("embeddings", torch.zeros(size, width))
        self.register_buffer("identities", torch.full((size,), -1))
        self.register_buffer("head", torch.tensor(0))

    @torch.no_grad()
    def put(self, embeddings, identities):
        size = len(self.embeddings)
        places = (self.head + torch.arange(len(embeddings))) % size
        self.embeddings[places] = embeddings.detach()
        self.identities[places] = identities
        self.head.copy_((self.head + len(embeddings)) % size)

    def get(self):
        kept = self.identities >= 0
        return self.embeddings[kept], self.identities[kept]


class Embedder(nn.Module):
    def __init__(self, out=12):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(WIDTH, 48), nn.LayerNorm(48), nn.GELU(), nn.Linear(48, out))
        self.memory = Memory(300, out)

    def forward(self, x):
        return F.normalize(self.layers(x), dim=-1)


def contrastive(embeddings, identities, others, other_identities, margin=0.5):
    similarity = embeddings @ others.t()
    same = identities[:, None] == other_identities[None, :]
    attract = (1 - similarity[same]).clamp(min=0)
    repel = F.relu(similarity[~same] - margin)
    repel = repel[repel > 0]
    return attract.mean() + (repel.mean() if len(repel) else similarity.sum() * 0)


faces = 0.8 * torch.randn(IDENTITIES, WIDTH)
x = (faces[:, None] + 0.5 * torch.randn(IDENTITIES, VIEWS, WIDTH)).flatten(0, 1)
y = torch.arange(IDENTITIES).repeat_interleave(VIEWS)
held_out = torch.arange(len(x)) % VIEWS >= VIEWS - 6
train_x, train_y, test_x, test_y = x[~held_out], y[~held_out], x[held_out], y[held_out]

model = Embedder()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
step = 0
for epoch in range(8):
    model.train()
    for rows in torch.randperm(len(train_x)).split(48):
        embeddings = model(train_x[rows])
        loss = contrastive(embeddings, train_y[rows], embeddings, train_y[rows])
        if step > 12:
            loss = loss + contrastive(embeddings, train_y[rows], *model.memory.get())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        model.memory.put(embeddings, train_y[rows])
        step += 1
    model.eval()
    with torch.no_grad():
        gallery, queries = model(train_x), model(test_x)
        nearest = train_y[(queries @ gallery.t()).argmax(1)]
    print(f"epoch {epoch + 1}: loss {loss.item():.3f}, recall at 1 {(nearest == test_y).float().mean():.3f}")
