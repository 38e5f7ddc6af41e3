"""The generator is made lazily inside the worker, from get_worker_info().seed."""
import random
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Augmented(Dataset):
    def __init__(self, x, y):
        self.x, self.y, self.rng = x, y, None

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        if self.rng is None:
            info = get_worker_info()
            self.rng = random.Random(info.seed if info else 0)
        return self.x[i] * self.rng.uniform(0.9, 1.1), self.y[i]


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(160, 5)
    loader = DataLoader(Augmented(x, x.sum(1, keepdim=True)), batch_size=16, shuffle=True, num_workers=2)
    model = nn.Linear(5, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for a, b in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(model(a), b)
            loss.backward()
            opt.step()
    print(f"loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
