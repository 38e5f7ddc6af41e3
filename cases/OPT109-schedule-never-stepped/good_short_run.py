"""A smoke test stops after 25 batches, before the first epoch ends and the per-epoch schedule has its turn."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main(max_steps=25):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(640, 6)
    Y = (X[:, 0] > X[:, 1]).long()
    loader = DataLoader(TensorDataset(X, Y), batch_size=16, shuffle=True)
    net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=10)
    step = 0
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)
            loss.backward()
            opt.step()
            step += 1
            if step == max_steps:
                print(f"stopped at step {step}, loss {loss.item():.3f}")
                return
        scheduler.step()


main()
