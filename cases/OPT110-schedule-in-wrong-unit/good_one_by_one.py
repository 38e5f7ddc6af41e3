"""A one-cycle over all samples that is stepped with batches of one sample, and ends where training ends."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def fit(net, loader, epochs):
    opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    cycle = torch.optim.lr_scheduler.OneCycleLR(opt, 0.01, steps_per_epoch=len(loader.dataset), epochs=epochs)
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            cycle.step()
    return loss.item(), opt.param_groups[0]["lr"]


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.rand(80, 3) * 2 - 1
Y = torch.sin(3 * X).sum(1, keepdim=True)
loader = DataLoader(TensorDataset(X, Y), batch_size=1, shuffle=True)
net = nn.Sequential(nn.Linear(3, 48), nn.Tanh(), nn.Linear(48, 1))
loss, rate = fit(net, loader, 3)
print(f"loss {loss:.3f}, last rate {rate:.4f} of at most 0.0100")
