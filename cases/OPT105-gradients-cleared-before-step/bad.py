"""A training function that clears the gradients between backward and step."""
import torch
from torch import nn


def train_batch(model, optimizer, criterion, x, y):
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.zero_grad()  #~ OPT105
    optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(320, 8)
    Y = (X @ torch.randn(8, 3)).argmax(1)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.0)
    for epoch in range(5):
        for idx in torch.randperm(320).split(40):
            loss = train_batch(model, optimizer, nn.CrossEntropyLoss(), X[idx], Y[idx])
    print(f"loss {loss:.3f}")


main()
