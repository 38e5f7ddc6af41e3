"""Captions of small drawings: an LSTM cell writes word after word, is told the right one most of the time, and its own otherwise."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BEGIN, WIDTH = 0, 48
COLOURS, SHAPES, PLACES = (1, 2, 3), (4, 5), (6, 7, 8, 9)


class Captioner(nn.Module):
    def __init__(self, num_words=10):
        super().__init__()
        self.see = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16 * 16, WIDTH))
        self.embed = nn.Embedding(num_words, 16)
        self.cell = nn.LSTMCell(16, WIDTH)
        self.tell = nn.Linear(WIDTH, num_words)

    def forward(self, images, captions, told=1.0):
        memory = self.see(images)
        hidden = torch.tanh(memory)
        word = torch.full((len(images),), BEGIN)
        logits = []
        for position in range(captions.shape[1]):
            hidden, memory = self.cell(self.embed(word), (hidden, memory))
            logits.append(self.tell(hidden))
            own = logits[-1].argmax(dim=1)
            word = torch.where(torch.rand(len(images)) < told, captions[:, position], own)
        return torch.stack(logits, dim=1)


def draw(num_images):
    colour, shape, place = (torch.randint(len(words), (num_images,)) for words in (COLOURS, SHAPES, PLACES))
    images = 0.1 * torch.randn(num_images, 3, 8, 8)
    for row, (c, s, p) in enumerate(zip(colour.tolist(), shape.tolist(), place.tolist())):
        top, left = 4 * (p // 2), 4 * (p % 2)
        patch = torch.ones(4, 4)
        if s:
            patch[1:3, 1:3] = 0
        images[row, c, top : top + 4, left : left + 4] += patch
    captions = torch.stack([torch.tensor(COLOURS)[colour], torch.tensor(SHAPES)[shape], torch.tensor(PLACES)[place], torch.zeros_like(place)], 1)
    return images, captions


torch.manual_seed(0)
torch.set_num_threads(1)
images, captions = draw(480)
held_images, held_captions = draw(120)
model = Captioner()
optimizer = torch.optim.AdamW(model.parameters(), lr=8e-3)
for epoch in range(8):
    model.train()
    total = 0.0
    for rows in torch.randperm(480).split(24):
        logits = model(images[rows], captions[rows], told=1.0 - 0.05 * epoch)
        loss = F.cross_entropy(logits.flatten(0, 1), captions[rows].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch + 1} loss {total / 20:.3f}")
model.eval()
with torch.no_grad():
    written = model(held_images, held_captions, told=0.0).argmax(dim=2)
print(f"captions all right {(written == held_captions).all(dim=1).float().mean():.2f}")
