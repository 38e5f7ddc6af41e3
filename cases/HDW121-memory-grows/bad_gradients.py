"""The gradient of a layer is kept under the number of each step, in a dict of the module."""

import torch
from torch import nn

GRADIENTS = {}


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = nn.Sequential(nn.Linear(50, 60), nn.GELU(), nn.Linear(60, 2))
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    step = 0
    for epoch in range(5):
        for _ in range(30):
            x = torch.randn(16, 50)
            optimizer.zero_grad(set_to_none=False)
            nn.functional.cross_entropy(net(x), (x.sum(1) > 0).long()).backward()
            GRADIENTS[step] = net[0].weight.grad.clone()  #~ HDW121
            optimizer.step()
            step += 1
    print(f"{step} steps, bias {net[2].bias.norm():.3f}")


main()
