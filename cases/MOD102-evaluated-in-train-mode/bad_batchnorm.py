"""Validation in inference mode moves BatchNorm's running statistics, because the network still trains."""
import torch
from torch import nn

torch.manual_seed(3)
torch.set_num_threads(1)
net = nn.Sequential(nn.Conv2d(1, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(24, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
images = torch.randn(200, 1, 8, 8)
level = images[:, :, :4].mean((1, 2, 3)).unsqueeze(1) * 4
fresh = torch.randn(60, 1, 8, 8) * 3 + 2
fresh_level = fresh[:, :, :4].mean((1, 2, 3)).unsqueeze(1) * 4


def rmse(images, levels):
    total = 0.0
    with torch.inference_mode():
        for i in range(0, len(images), 20):
            out = net(images[i : i + 20])  #~ MOD102
            total += (out - levels[i : i + 20]).pow(2).sum().item()
    return (total / len(images)) ** 0.5


for epoch in range(6):
    for idx in torch.randperm(200).split(25):
        opt.zero_grad()
        nn.functional.mse_loss(net(images[idx]), level[idx]).backward()
        opt.step()
    error = rmse(fresh, fresh_level)
print(f"rmse {error:.3f}, bn variance {net[1].running_var.mean().item():.2f}")
