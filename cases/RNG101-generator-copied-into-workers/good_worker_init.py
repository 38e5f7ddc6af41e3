"""worker_init_fn gives every worker's copy of the data set a generator of its own."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Noisy(Dataset):
    def __init__(self, x):
        self.x, self.rng = x, np.random.default_rng(0)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i] + torch.from_numpy(self.rng.normal(0, 0.2, self.x.shape[1])).float(), self.x[i]


def seed_worker(worker_id):
    info = get_worker_info()
    info.dataset.rng = np.random.default_rng(info.seed % 2**32)


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    data = Noisy(torch.randn(160, 6))
    loader = DataLoader(data, batch_size=16, shuffle=True, num_workers=2, worker_init_fn=seed_worker)
    net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 6))
    opt = torch.optim.Adam(net.parameters(), lr=0.02)
    for epoch in range(2):
        for noisy, clean in loader:
            loss = nn.functional.mse_loss(net(noisy), clean)
            opt.zero_grad()
            loss.backward()
            opt.step()
    print(f"loss {loss.item():.3f}")
