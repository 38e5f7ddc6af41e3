"""Which appointments are missed? Entity embeddings and numbers, a rare class with a weight of its own, precision and recall at a logit of 0."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


@dataclass
class Config:
    clinics: int = 12
    weekdays: int = 5
    epochs: int = 6
    batch_size: int = 64
    learning_rate: float = 3e-3
    seed: int = 0


def appointments(config, number=2400):
    clinic = torch.randint(0, config.clinics, (number,))
    weekday = torch.randint(0, config.weekdays, (number,))
    numbers = torch.randn(number, 4)
    habit = torch.randn(config.clinics)[clinic] + 0.6 * torch.randn(config.weekdays)[weekday]
    missed = torch.bernoulli(torch.sigmoid(habit + 1.5 * numbers[:, 0] - numbers[:, 2] - 1.2))
    return TensorDataset(clinic, weekday, numbers, missed)


class Appointments(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.clinic = nn.Embedding(config.clinics, 4)
        self.weekday = nn.Embedding(config.weekdays, 2)
        self.body = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))

    def forward(self, clinic, weekday, numbers):
        features = torch.cat([self.clinic(clinic), self.weekday(weekday), numbers], dim=1)
        return self.body(features).squeeze(1)


@torch.no_grad()
def precision_and_recall(model, loader):
    model.eval()
    hits = called = missed_in_all = 0
    for clinic, weekday, numbers, missed in loader:
        predicted = model(clinic, weekday, numbers) > 0
        hits += (predicted & missed.bool()).sum().item()
        called += predicted.sum().item()
        missed_in_all += missed.sum().item()
    return hits / max(called, 1), hits / max(missed_in_all, 1)


def main():
    config = Config()
    torch.manual_seed(config.seed)
    torch.set_num_threads(1)
    training, validation = random_split(appointments(config), [2000, 400])
    train_loader = DataLoader(training, config.batch_size, shuffle=True)
    validation_loader = DataLoader(validation, 200)
    labels = torch.stack([item[-1] for item in training])
    criterion = nn.BCEWithLogitsLoss(pos_weight=(labels == 0).sum() / (labels == 1).sum())
    model = Appointments(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.learning_rate)
    for epoch in range(config.epochs):
        model.train()
        for clinic, weekday, numbers, missed in train_loader:
            loss = criterion(model(clinic, weekday, numbers), missed)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        precision, recall = precision_and_recall(model, validation_loader)
        print(f"epoch {epoch}: precision {precision:.3f}, recall {recall:.3f}")


if __name__ == "__main__":
    main()
