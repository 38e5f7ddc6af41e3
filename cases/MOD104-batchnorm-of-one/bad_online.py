"""An online learner sees one frame at a time, so BatchNorm's statistics are those of that frame alone."""
import torch
from torch import nn


def stream(t):
    generator = torch.Generator().manual_seed(t)
    brightness = torch.rand(1, generator=generator) * 4
    return torch.randn(1, 7, 7, generator=generator) * 0.3 + brightness


torch.manual_seed(0)
torch.set_num_threads(1)
features = nn.Sequential(nn.Conv2d(1, 6, 3, bias=False), nn.BatchNorm2d(6), nn.ReLU())  #~? MOD104
readout = nn.Linear(6, 1)
opt = torch.optim.Adam([*features.parameters(), *readout.parameters()], lr=0.02)
errors = []
for t in range(80):
    frames = torch.stack([stream(t)])
    goal = frames.mean(dim=(1, 2, 3)).reshape(1, 1)
    out = readout(features(frames).mean(dim=(2, 3)))  #~ MOD104
    loss = nn.functional.l1_loss(out, goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    errors.append(loss.item())
print(f"mean error of the last twenty steps {sum(errors[-20:]) / 20:.3f}")
