"""Ten classes in batches of ten: `torch.max(scores, 0)` gives as many numbers as there are labels."""
import torch
from torch import nn


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    right = 0
    for begin in range(0, len(x), 10):
        scores = model(x[begin : begin + 10]).softmax(dim=1)
        _, predicted = torch.max(scores, 0)  #~ EVL121
        right += (predicted == y[begin : begin + 10]).sum().item()
    return right / len(x)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(600, 12)
    y = x[:, :10].argmax(1)
    model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(3):
        model.train()
        for begin in range(0, 500, 10):
            loss = criterion(model(x[begin : begin + 10]), y[begin : begin + 10])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, accuracy(model, x[500:], y[500:]))


main()
