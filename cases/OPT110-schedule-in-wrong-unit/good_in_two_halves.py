"""One OneCycleLR in two halves: a second trainer goes on from the state of the first."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(5)
torch.set_num_threads(1)
X = torch.randn(400, 6)
loader = DataLoader(TensorDataset(X, X.sum(1, keepdim=True).sin()), batch_size=40, shuffle=True)


def train(epochs, state=None):
    net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, epochs=8, steps_per_epoch=len(loader))
    parts = {"net": net, "optimizer": optimizer, "schedule": schedule}
    for name in state or ():
        parts[name].load_state_dict(state[name])
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
            schedule.step()
    print(f"loss {loss.item():.3f}, rate {optimizer.param_groups[0]['lr']:.5f}")
    return {name: part.state_dict() for name, part in parts.items()}


first_half = train(4)
train(4, first_half)
