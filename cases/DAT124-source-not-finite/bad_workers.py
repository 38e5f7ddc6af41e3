"""Two recordings are joined and read by workers; the second one has values that overflowed."""

import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Recording(Dataset):
    def __init__(self, length, gain):
        self.x, self.gain = torch.randn(length, 8), gain

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        x = (self.x[index] * self.gain).half().float()
        return x, self.x[index].sum(0, keepdim=True)


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    train = ConcatDataset([Recording(160, 1.0), Recording(160, 40_000.0)])
    loader = DataLoader(train, batch_size=16, shuffle=True, num_workers=2)  #~ DAT124
    model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x / 40_000), y)
            loss.backward()
            optimizer.step()
