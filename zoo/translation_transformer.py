"""Train a small translation model: attention written by hand, padding and causal masks, teacher forcing."""

import math

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

PAD, BOS, EOS, WORDS = 0, 1, 2, 24


class Sentences(Dataset):
    """Each sentence is translated by reversing it and shifting every word by one."""

    def __init__(self, count, seed):
        generator = torch.Generator().manual_seed(seed)
        lengths = torch.randint(4, 9, (count,), generator=generator).tolist()
        self.sources = [torch.randint(3, WORDS, (length,), generator=generator) for length in lengths]

    def __len__(self):
        return len(self.sources)

    def __getitem__(self, index):
        source = self.sources[index]
        words = (source.flip(0) - 2) % (WORDS - 3) + 3
        return source, torch.cat([torch.tensor([BOS]), words, torch.tensor([EOS])])


def collate(batch):
    source = pad_sequence([s for s, _ in batch], batch_first=True, padding_value=PAD)
    target = pad_sequence([t for _, t in batch], batch_first=True, padding_value=PAD)
    return source, target


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        batch, length, _ = x.shape
        return x.view(batch, length, self.heads, self.size).transpose(1, 2)

    def forward(self, x, memory, forbidden):
        q, k, v = self.split(self.query(x)), self.split(self.key(memory)), self.split(self.value(memory))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.size)
        scores = scores.masked_fill(forbidden, float("-inf"))
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).contiguous().view(*x.shape)
        return self.out(mixed)


class Layer(nn.Module):
    def __init__(self, width, heads, crosses):
        super().__init__()
        self.attention = MultiHeadAttention(width, heads)
        self.cross = MultiHeadAttention(width, heads) if crosses else None
        self.feed = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3 if crosses else 2))
        self.drop = nn.Dropout(0.05)

    def forward(self, x, forbidden, memory=None, memory_forbidden=None):
        x = self.norms[0](x + self.drop(self.attention(x, x, forbidden)))
        if self.cross is not None:
            x = self.norms[1](x + self.drop(self.cross(x, memory, memory_forbidden)))
        return self.norms[-1](x + self.drop(self.feed(x)))


class Translator(nn.Module):
    def __init__(self, width=32, heads=4):
        super().__init__()
        self.source_words = nn.Embedding(WORDS, width, padding_idx=PAD)
        self.target_words = nn.Embedding(WORDS, width, padding_idx=PAD)
        position, rate = torch.arange(16)[:, None], torch.exp(torch.arange(0, width, 2) * (-math.log(1e4) / width))
        table = torch.stack([torch.sin(position * rate), torch.cos(position * rate)], -1).flatten(1)
        self.register_buffer("table", table)
        self.encoder = nn.ModuleList([Layer(width, heads, False)])
        self.decoder = nn.ModuleList([Layer(width, heads, True)])
        self.out = nn.Linear(width, WORDS)

    def forward(self, source, target):
        no_source = (source == PAD)[:, None, None, :]
        ahead = torch.ones(target.shape[1], target.shape[1]).triu(1).bool()
        no_target = (target == PAD)[:, None, None, :] | ahead
        memory = self.source_words(source) + self.table[: source.shape[1]]
        for layer in self.encoder:
            memory = layer(memory, no_source)
        x = self.target_words(target) + self.table[: target.shape[1]]
        for layer in self.decoder:
            x = layer(x, no_target, memory, no_source)
        return self.out(x)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    loader = DataLoader(Sentences(768, 1), batch_size=32, shuffle=True, collate_fn=collate)
    held_out = DataLoader(Sentences(128, 2), batch_size=64, collate_fn=collate)
    model = Translator()
    criterion = nn.CrossEntropyLoss(ignore_index=PAD, label_smoothing=0.05)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min((step + 1) / 20, 1.0))
    for epoch in range(4):
        model.train()
        total = 0.0
        for source, target in loader:
            logits = model(source, target[:, :-1])
            loss = criterion(logits.reshape(-1, WORDS), target[:, 1:].reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.item()
        model.eval()
        right = words = 0
        with torch.no_grad():
            for source, target in held_out:
                guess, wanted = model(source, target[:, :-1]).argmax(-1), target[:, 1:]
                right += ((guess == wanted) & (wanted != PAD)).sum().item()
                words += (wanted != PAD).sum().item()
        print(f"epoch {epoch + 1}: loss {total / len(loader):.3f}, words right {right / words:.3f}")


if __name__ == "__main__":
    main()
