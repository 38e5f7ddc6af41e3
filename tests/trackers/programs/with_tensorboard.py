"""A regression whose loss broadcasts, logged for TensorBoard by a writer that is gone when the script ends."""

import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter


def train():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with SummaryWriter("logs/first") as writer:
        for step in range(12):
            x, y = torch.randn(16, 8), torch.randn(16)
            optimizer.zero_grad()
            loss = ((model(x) - y) ** 2).mean()
            loss.backward()
            optimizer.step()
            writer.add_scalar("loss", loss.item(), step)
        writer.add_hparams({"lr": 0.01}, {"last": loss.item()}, run_name="tried")
    return loss


print(f"{train().item():.6f}")
