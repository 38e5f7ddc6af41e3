"""Align small images and captions with a symmetric contrastive loss, keep the best weights, and look captions up by image."""

import copy
import math
import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset, random_split

torch.manual_seed(0)
torch.set_num_threads(1)

SHAPES, COLOURS, WORDS = 3, 4, 12


class Captioned(Dataset):
    """Coloured shapes and a caption of four words: colour, shape and two fillers, in any order."""

    def __init__(self, size):
        self.shape = torch.randint(SHAPES, (size,))
        self.colour = torch.randint(COLOURS, (size,))
        self.masks = (torch.rand(SHAPES, 8, 8) < 0.4).float()
        self.paint = torch.rand(COLOURS, 3)

    def __len__(self):
        return len(self.shape)

    def __getitem__(self, index):
        shape, colour = int(self.shape[index]), int(self.colour[index])
        image = self.paint[colour][:, None, None] * self.masks[shape] + 0.1 * torch.randn(3, 8, 8)
        fillers = torch.randint(SHAPES + COLOURS, WORDS, (2,))
        words = torch.cat([torch.tensor([shape, SHAPES + colour]), fillers])
        return image, words[torch.randperm(4)], shape * COLOURS + colour


class ImageTower(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2))
        self.project = nn.Linear(16 * 16, width)

    def forward(self, image):
        return self.project(self.stem(image).flatten(1))


class TextTower(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embedding = nn.EmbeddingBag(WORDS, 32, mode="mean")
        self.project = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, width))

    def forward(self, words):
        return self.project(self.embedding(words))


class Aligner(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.image, self.text = ImageTower(width), TextTower(width)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def forward(self, image, words):
        seen = F.normalize(self.image(image), dim=-1)
        said = F.normalize(self.text(words), dim=-1)
        return self.log_scale.exp().clamp(max=100) * seen @ said.T


def contrast(scores, meaning):
    """Both directions; captions that mean the same are no negatives of each other."""
    same = meaning[:, None] == meaning[None]
    scores = scores.masked_fill(same & ~torch.eye(len(scores), dtype=torch.bool), -1e4)
    target = torch.arange(len(scores))
    return (F.cross_entropy(scores, target) + F.cross_entropy(scores.T, target)) / 2


@torch.no_grad()
def hits(model, loader):
    """Share of images whose best caption of the batch has their meaning."""
    model.eval()
    found = total = 0
    for image, words, meaning in loader:
        best = model(image, words).argmax(1)
        found += (meaning[best] == meaning).sum().item()
        total += len(meaning)
    return found / total


train, held = random_split(Captioned(640), [512, 128])
train_loader = DataLoader(train, batch_size=32, shuffle=True, drop_last=True)
held_loader = DataLoader(held, batch_size=64)
model = Aligner()
decayed = [p for p in model.parameters() if p.ndim >= 2]
others = [p for p in model.parameters() if p.ndim < 2]
optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.05}, {"params": others, "weight_decay": 0.0}], lr=3e-3)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=6)
lengths = []
handle = model.image.project.register_forward_hook(lambda module, given, result: lengths.append(result.detach().norm(dim=1).mean().item()))

best, best_state = 0.0, None
for epoch in range(6):
    model.train()
    for image, words, meaning in train_loader:
        loss = contrast(model(image, words), meaning)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    schedule.step()
    share = hits(model, held_loader)
    if share >= best:
        best, best_state = share, copy.deepcopy(model.state_dict())
    print(f"epoch {epoch}: loss {loss.item():.3f}, hits {share:.2f}, length {sum(lengths) / len(lengths):.2f}")
    lengths.clear()
handle.remove()

model.load_state_dict(best_state)
with tempfile.TemporaryDirectory() as folder:
    torch.save(model.state_dict(), Path(folder, "aligner.pt"))
    again = Aligner()
    again.load_state_dict(torch.load(Path(folder, "aligner.pt"), weights_only=True))
print(f"restored: hits {hits(again, held_loader):.2f}")
