"""Which of three tunes a melody is: note and bar embedded, a plain RNN read at its last step, a teacher that follows by its state dict."""

import argparse
import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

TUNES = torch.tensor([[0, 2, 4, 5], [7, 5, 4, 2], [0, 4, 7, 4]])


def melodies(count, bars=4):
    label = torch.randint(0, 3, (count,))
    notes = TUNES[label].repeat(1, bars) + torch.randint(0, 5, (count, 1))
    wrong = torch.rand(notes.shape) < 0.25
    return torch.where(wrong, torch.randint(0, 12, notes.shape), notes), label


class Listener(nn.Module):
    def __init__(self, notes=12, size=16, hidden=32):
        super().__init__()
        self.note, self.bar = nn.Embedding(notes, size), nn.Embedding(4, size)
        self.rnn = nn.RNN(size, hidden, batch_first=True)
        self.head = nn.Sequential(nn.BatchNorm1d(hidden), nn.Linear(hidden, 3))

    def forward(self, notes):
        position = torch.arange(notes.shape[1])
        heard, _ = self.rnn(self.note(notes) + self.bar(position // 4))
        return self.head(heard[:, -1, :])


def update(teacher, student, momentum):
    mine, theirs = teacher.state_dict(), student.state_dict()
    for name, value in theirs.items():
        if value.is_floating_point():
            mine[name].mul_(momentum).add_(value, alpha=1 - momentum)
        else:
            mine[name].copy_(value)


def main(args):
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    notes, label = melodies(800)
    test_notes, test_label = melodies(200)
    hard = torch.where(label == 0, 0.5, 1.0).double()
    sampler = WeightedRandomSampler(hard, num_samples=len(label), replacement=True)
    loader = DataLoader(TensorDataset(notes, label), batch_size=40, sampler=sampler)
    student = Listener()
    teacher = copy.deepcopy(student).requires_grad_(False)
    optimizer = torch.optim.Adam(student.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        student.train()
        for batch, target in loader:
            loss = nn.functional.cross_entropy(student(batch), target, label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            update(teacher, student, args.momentum)
        teacher.eval()
        with torch.no_grad():
            correct = (teacher(test_notes).argmax(1) == test_label).float().mean()
        print(f"epoch {epoch}  loss {loss.item():.3f}  teacher {correct.item():.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--momentum", type=float, default=0.9)
    parser.add_argument("--seed", type=int, default=0)
    main(parser.parse_args())
