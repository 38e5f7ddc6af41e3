"""Gestures in one row of targets, numbered from 0: the blank comes behind them."""
import torch
from torch import nn


class GestureTrainer:
    def __init__(self, model, gestures):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        self.criterion = nn.CTCLoss(blank=len(gestures), reduction="sum")

    def train(self, batches):
        for motion, num_frames, targets, lengths in batches:
            loss = self.criterion(self.model(motion), targets, num_frames, lengths) / len(lengths)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()


class Model(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.rnn = nn.GRU(4, 16)
        self.out = nn.Linear(16, classes)

    def forward(self, motion):
        return self.out(self.rnn(motion)[0]).log_softmax(2)


def batches(signs):
    for _ in range(12):
        lengths = torch.randint(1, 4, (6,))
        targets = torch.randint(0, len(signs), (int(lengths.sum()),))
        yield torch.randn(14, 6, 4) + signs[targets[:6]], torch.full((6,), 14), targets, lengths


torch.manual_seed(0)
torch.set_num_threads(1)
gestures = ["wave", "point", "fist", "palm"]
trainer = GestureTrainer(Model(len(gestures) + 1), gestures)
print(f"loss {trainer.train(batches(torch.randn(len(gestures), 4))):.3f}")
