"""Accelerate accumulates over four batches and divides each loss by four; the program divides them too."""
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main(accumulation_steps=4):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=accumulation_steps)
    x = torch.randn(256, 6)
    loader = DataLoader(TensorDataset(x, (x[:, 0] > x[:, 1]).long()), batch_size=8, shuffle=True)
    net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
    for _ in range(2):
        for xb, yb in loader:
            with accelerator.accumulate(net):
                loss = nn.functional.cross_entropy(net(xb), yb)
                loss = loss / accumulation_steps  #~ OPT123
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
    print(f"loss {loss.item():.3f}")


main()
