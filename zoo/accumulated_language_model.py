"""Train a small character model on full windows, four micro-batches to a step, with clipping and a cosine schedule."""

import argparse
import math

import torch
from torch import nn
from torch.nn import functional as F

TEXT = (
    "the quick brown fox jumps over the lazy dog. pack my box with five dozen liquor jugs. "
    "how vexingly quick daft zebras jump! sphinx of black quartz, judge my vow. "
)


class CharacterModel(nn.Module):
    """An embedding, two recurrent layers and a projection back to characters."""

    def __init__(self, vocabulary, width=48, dropout=0.1):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.recurrent = nn.LSTM(width, width, num_layers=2, dropout=dropout, batch_first=True)
        self.norm = nn.LayerNorm(width)
        self.project = nn.Linear(width, vocabulary)

    def forward(self, characters):
        states, _ = self.recurrent(self.embedding(characters))
        return self.project(self.norm(states))


def get_windows(stream, count, length, generator):
    """Cuts windows out of the stream at random places, with the next character as the target."""
    starts = torch.randint(len(stream) - length - 1, (count,), generator=generator)
    windows = torch.stack([stream[start : start + length + 1] for start in starts])
    return windows[:, :-1], windows[:, 1:]


@torch.no_grad()
def estimate(model, stream, length, generator):
    model.eval()
    losses = []
    for _ in range(4):
        inputs, targets = get_windows(stream, 16, length, generator)
        losses.append(F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten()).item())
    model.train()
    return sum(losses) / len(losses)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--micro-batches", type=int, default=4)
    parser.add_argument("--micro-batch-size", type=int, default=8)
    parser.add_argument("--window", type=int, default=24)
    parser.add_argument("--learning-rate", type=float, default=5e-3)
    args = parser.parse_args()

    torch.manual_seed(0)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(2)
    letters = sorted(set(TEXT))
    index = {letter: number for number, letter in enumerate(letters)}
    stream = torch.tensor([index[letter] for letter in TEXT * 24])
    cut = int(0.9 * len(stream))
    train_stream, valid_stream = stream[:cut], stream[cut:]

    model = CharacterModel(len(letters))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate, weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.steps)
    model.train()
    for step in range(args.steps):
        total = 0.0
        for _ in range(args.micro_batches):
            inputs, targets = get_windows(train_stream, args.micro_batch_size, args.window, generator)
            loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten()) / args.micro_batches
            loss.backward()
            total += loss.item()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        scheduler.step()
        if (step + 1) % 20 == 0:
            valid = estimate(model, valid_stream, args.window, generator)
            print(f"step {step + 1}: train {total:.3f} (perplexity {math.exp(total):.1f}), valid {valid:.3f}")


if __name__ == "__main__":
    main()
