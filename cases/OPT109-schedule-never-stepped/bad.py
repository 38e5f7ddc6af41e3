"""A one-cycle schedule is built but never stepped, so training crawls at the cycle's first rate."""
import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR


def configure(model, steps):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    scheduler = OneCycleLR(optimizer, max_lr=0.2, total_steps=steps)  #~ OPT109
    return optimizer, scheduler


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(320, 10)
    Y = (X @ torch.randn(10, 4)).argmax(1)
    model = nn.Sequential(nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 4))
    epochs = 6
    optimizer, scheduler = configure(model, epochs * 10)
    for epoch in range(epochs):
        for idx in torch.randperm(320).split(32):
            loss = nn.functional.cross_entropy(model(X[idx]), Y[idx])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"loss {loss.item():.3f}, rate {scheduler.get_last_lr()[0]:.4f}")


main()
