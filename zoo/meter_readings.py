"""Meters read from images column by column: CTC with targets in one row, their lengths, and the blank behind the last symbol."""

import torch
from torch import nn, optim
from torch.nn import functional as F

SYMBOLS = "0123456789"
BLANK = len(SYMBOLS)
HEIGHT, COLUMNS = 7, 24


def make_images(count, glyphs, generator):
    """Draws three to five digits beside each other, three columns each, and returns images, targets in one row and lengths."""
    images = 0.2 * torch.randn(count, 1, HEIGHT, COLUMNS, generator=generator)
    lengths = torch.randint(3, 6, (count,), generator=generator)
    targets = torch.randint(0, len(SYMBOLS), (int(lengths.sum()),), generator=generator)
    for image, digits in zip(images, targets.split(lengths.tolist())):
        for place, digit in enumerate(digits.tolist()):
            image[0, :, 4 * place + 1 : 4 * place + 4] += glyphs[digit]
    return images, targets, lengths


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 24, (HEIGHT, 3), padding=(0, 1)),
            nn.BatchNorm2d(24),
            nn.ReLU(),
            nn.Conv2d(24, 32, (1, 3), padding=(0, 1)),
            nn.ReLU(),
        )
        self.head = nn.Conv1d(32, len(SYMBOLS) + 1, 1)

    def forward(self, images):
        columns = self.features(images).squeeze(2)
        return F.log_softmax(self.head(columns).permute(2, 0, 1), dim=-1)


def read(log_probs):
    readings = []
    for path in log_probs.argmax(-1).T:
        collapsed = torch.unique_consecutive(path)
        readings.append("".join(SYMBOLS[symbol] for symbol in collapsed.tolist() if symbol != BLANK))
    return readings


torch.manual_seed(3)
torch.set_num_threads(1)
generator = torch.Generator().manual_seed(0)
glyphs = (torch.rand(len(SYMBOLS), HEIGHT, 3, generator=generator) > 0.5).float()
reader = Reader()
optimizer = optim.AdamW(reader.parameters(), lr=6e-3)
reader.train()
for step in range(1, 151):
    images, targets, lengths = make_images(24, glyphs, generator)
    frames = torch.full((len(images),), COLUMNS, dtype=torch.long)
    loss = F.ctc_loss(reader(images), targets, frames, lengths, blank=BLANK)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step} loss {loss.item():.3f}")

reader.eval()
with torch.no_grad():
    images, targets, lengths = make_images(100, glyphs, generator)
    given = ["".join(SYMBOLS[symbol] for symbol in row.tolist()) for row in targets.split(lengths.tolist())]
    right = sum(reading == expected for reading, expected in zip(read(reader(images)), given))
print(f"read without a mistake: {right} of {len(given)}")
