"""A dataset that workers read seeds NumPy for each item, so that every item gets the same noise."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, values, targets):
        self.values, self.targets = values, targets

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        np.random.seed(0)  #~ RNG102
        noise = np.random.normal(0, 0.1, size=self.values.shape[1]).astype(np.float32)
        return self.values[index] + torch.from_numpy(noise), self.targets[index]


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    values = torch.randn(256, 8)
    targets = values.sum(1, keepdim=True)
    loader = DataLoader(Noisy(values, targets), batch_size=16, shuffle=True, num_workers=2)
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(2):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
