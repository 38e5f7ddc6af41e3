"""A compact trainer class whose step forgets to clear the gradients."""
import torch
from torch import nn


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr)

    def training_step(self, x, y):
        loss = self.criterion(self.model(x), y)
        loss.backward()  #~ OPT104
        self.optimizer.step()  #~? OPT104
        return loss.item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(400, 10)
    Y = (X @ torch.randn(10, 5)).argmax(1)
    trainer = Trainer(nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 5)), lr=0.2)
    for epoch in range(4):
        losses = [trainer.training_step(X[i], Y[i]) for i in torch.randperm(400).split(25)]
    print(f"mean loss of the last epoch {sum(losses) / len(losses):.3f}")


main()
