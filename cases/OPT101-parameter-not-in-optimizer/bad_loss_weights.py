"""Two regression tasks balanced by learned uncertainties that belong to the loss module."""
import torch
from torch import nn, optim


class UncertaintyLoss(nn.Module):
    """Kendall-style weighting: each task has a learnable log variance."""

    def __init__(self, tasks):
        super().__init__()
        self.log_var = nn.Parameter(torch.zeros(tasks))  #~ OPT101

    def forward(self, losses):
        return (torch.exp(-self.log_var) * losses + self.log_var).sum()


def train(steps=70):
    net = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 2))
    criterion = UncertaintyLoss(2)
    opt = optim.AdamW(net.parameters(), lr=0.03)  #~? OPT101
    for _ in range(steps):
        x = torch.randn(64, 5)
        y = torch.stack([x.sum(1), 20 * torch.randn(64)], dim=1)
        losses = (net(x) - y).pow(2).mean(dim=0)
        opt.zero_grad()
        criterion(losses).backward()
        opt.step()
    return losses[0].item(), criterion.log_var.tolist()


torch.manual_seed(0)
torch.set_num_threads(1)
clean, log_var = train()
print(f"clean task mse {clean:.3f}, log variances {log_var[0]:.2f} {log_var[1]:.2f}")
