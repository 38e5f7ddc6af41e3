"""Train a small encoder for tagging in float16, with gradients accumulated over four batches under one gradient scaler."""

import torch
from torch import nn

WORDS, TAGS, LENGTH, PARTS = 60, 5, 20, 4


class Tagger(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(WORDS, width)
        self.mix = nn.Sequential(nn.Conv1d(width, width, 3, padding=1), nn.ReLU(), nn.Conv1d(width, width, 3, padding=1))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, TAGS)

    def forward(self, words):
        x = self.embed(words)
        return self.head(self.norm(x + self.mix(x.transpose(1, 2)).transpose(1, 2)))


def sentences(number, generator):
    words = torch.randint(WORDS, (number, LENGTH), generator=generator)
    before = torch.cat([torch.zeros(number, 1, dtype=torch.long), words[:, :-1]], 1)
    return words, (words % TAGS + (before > WORDS // 2)) % TAGS


def main():
    torch.manual_seed(6)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(1)
    words, tags = sentences(640, generator)
    held_words, held_tags = sentences(128, generator)
    model = Tagger()
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)
    for epoch in range(6):
        model.train()
        for number, rows in enumerate(torch.randperm(640).split(16), 1):
            with torch.autocast("cpu", dtype=torch.float16):
                loss = nn.functional.cross_entropy(model(words[rows]).transpose(1, 2), tags[rows]) / PARTS
            scaler.scale(loss).backward()
            if number % PARTS == 0:
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()
        model.eval()
        with torch.no_grad():
            right = (model(held_words).argmax(-1) == held_tags).float().mean().item()
        print(f"epoch {epoch + 1}: accuracy {right:.3f}")


if __name__ == "__main__":
    main()
