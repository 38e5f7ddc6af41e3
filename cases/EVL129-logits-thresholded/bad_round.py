"""Tags of articles, several for each: a trainer rounds what its model returns."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Trainer:
    def __init__(self, model, training, validation):
        self.model, self.training, self.validation = model, training, validation
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
        self.criterion = nn.BCEWithLogitsLoss()

    def epoch(self):
        self.model.train()
        for words, tags in self.training:
            self.optimizer.zero_grad()
            self.criterion(self.model(words), tags).backward()
            self.optimizer.step()

    @torch.no_grad()
    def accuracy(self):
        self.model.eval()
        right = total = 0
        for words, tags in self.validation:
            predicted = torch.round(self.model(words))  #~ EVL129
            right += (predicted == tags).sum().item()
            total += tags.numel()
        return right / total


words = torch.randn(800, 20)
tags = (words @ torch.randn(20, 5) + 0.5 * torch.randn(800, 5) > 0).float()
training = DataLoader(TensorDataset(words[:600], tags[:600]), 60, shuffle=True)
validation = DataLoader(TensorDataset(words[600:], tags[600:]), 100)
trainer = Trainer(nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5)), training, validation)
for epoch in range(4):
    trainer.epoch()
    print(f"epoch {epoch}: right {trainer.accuracy():.3f}")
