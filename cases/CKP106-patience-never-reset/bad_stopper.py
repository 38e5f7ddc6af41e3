"""An object stops the training of a classifier; its counter is begun in `__init__` and only ever grows."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Stopper:
    def __init__(self, limit, margin=0.0):
        self.limit, self.margin = limit, margin
        self.top = 0.0
        self.waits = 0
        self.stop = False

    def update(self, accuracy):
        if accuracy <= self.top + self.margin:  #~ CKP106
            self.waits += 1
            print(f"no better for {self.waits} epochs")
            if self.waits >= self.limit:
                self.stop = True
        else:
            self.top = accuracy


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    x = torch.randn(400, 8)
    y = (x[:, 0] * x[:, 1] + 0.4 * torch.randn(400) > 0).long()
    loader = DataLoader(TensorDataset(x[:300], y[:300]), batch_size=20, shuffle=True)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.004)
    stopper = Stopper(limit=10)
    for _ in range(50):
        model.train()
        for inputs, targets in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(inputs), targets).backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            stopper.update((model(x[300:]).argmax(1) == y[300:]).float().mean().item())
        if stopper.stop:
            break
    print(f"accuracy {stopper.top:.2f}")


main()
