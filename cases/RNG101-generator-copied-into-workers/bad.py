"""Each worker process gets a copy of the data set's generator, and so they all draw the same noise."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Jittered(Dataset):
    def __init__(self, x, y):
        self.x, self.y = x, y
        self.rng = np.random.default_rng(7)  #~ RNG101

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        noise = self.rng.normal(0.0, 0.3, self.x.shape[1])
        return self.x[i] + torch.from_numpy(noise).float(), self.y[i], noise[0]


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(160, 8)
    y = (x @ torch.randn(8, 3)).argmax(1)
    loader = DataLoader(Jittered(x, y), batch_size=16, shuffle=True, num_workers=2)  #~? RNG101
    model = nn.Linear(8, 3)
    opt = torch.optim.SGD(model.parameters(), lr=0.3)
    draws = []
    for epoch in range(2):
        for inputs, labels, first in loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), labels)
            loss.backward()
            opt.step()
            draws += first.tolist()
    print(f"loss {loss.item():.3f}, {len(set(draws))} different draws of {len(draws)}")


if __name__ == "__main__":
    main()
