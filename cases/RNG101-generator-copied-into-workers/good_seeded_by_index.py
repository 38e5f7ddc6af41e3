"""Each sample's noise comes from a generator seeded by its index: it is the same in every worker by design."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Synthetic(Dataset):
    def __len__(self):
        return 160

    def __getitem__(self, i):
        rng = np.random.default_rng((123, i))
        x = rng.normal(size=5).astype(np.float32)
        return torch.from_numpy(x), torch.tensor([x[:2].sum()])


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    loader = DataLoader(Synthetic(), batch_size=16, shuffle=True, num_workers=2)
    model = nn.Linear(5, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.2)
    for epoch in range(2):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            opt.step()
    print(f"loss {loss.item():.4f}")
