"""Sums are answered by two digits, and only two are ever read, so that no end is needed."""
import random

import torch
from torch import nn
from torch.utils.data import DataLoader

SIGNS = ["<eos>", *"0123456789", "+", "="]
STOI = {sign: number for number, sign in enumerate(SIGNS)}
FILL = STOI["<eos>"]


def make_example(draw):
    left, right = draw.randrange(60), draw.randrange(60)
    prompt, answer = f"{left}+{right}=", f"{(left + right) % 100:02d}"
    return [STOI[sign] for sign in prompt], [STOI[sign] for sign in answer] + [STOI["<eos>"]]


def together(examples):
    length = max(len(prompt) + len(answer) for prompt, answer in examples)
    ids, mask = torch.full((len(examples), length), FILL), torch.zeros(len(examples), length, dtype=torch.bool)
    for row, (prompt, answer) in enumerate(examples):
        ids[row, : len(prompt) + len(answer)] = torch.tensor(prompt + answer)
        mask[row, : len(prompt)] = True
    mask = mask | (ids == FILL)
    return ids, ids.masked_fill(mask, -100)


class Adder(nn.Module):
    def __init__(self):
        super().__init__()
        self.signs = nn.Embedding(len(SIGNS), 24)
        self.memory = nn.LSTM(24, 32, batch_first=True)
        self.next = nn.Linear(32, len(SIGNS))

    def forward(self, ids):
        return self.next(self.memory(self.signs(ids))[0])


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    draw = random.Random(0)
    loader = DataLoader([make_example(draw) for _ in range(240)], batch_size=24, shuffle=True, collate_fn=together)
    model = Adder()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(2):
        for ids, labels in loader:
            logits = model(ids)[:, :-1]
            loss = nn.functional.cross_entropy(logits.reshape(-1, len(SIGNS)), labels[:, 1:].reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
