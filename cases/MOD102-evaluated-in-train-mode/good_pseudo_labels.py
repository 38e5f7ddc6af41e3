"""FixMatch-style pseudo labels come from the training model in train mode under no_grad within the same step."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(nn.Linear(4, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Linear(48, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
centres = torch.randn(3, 4) * 3
few_y = torch.arange(3).repeat(4)
few_x = centres[few_y] + torch.randn(12, 4)
for step in range(60):
    pool = centres[torch.randint(0, 3, (48,))] + torch.randn(48, 4)
    with torch.no_grad():
        confidence, guess = F.softmax(net(pool + 0.05 * torch.randn(48, 4)), dim=1).max(dim=1)
    strong = net(pool + 0.5 * torch.randn(48, 4))
    unlabelled = (F.cross_entropy(strong, guess, reduction="none") * (confidence > 0.9)).mean()
    loss = F.cross_entropy(net(few_x), few_y) + unlabelled
    opt.zero_grad()
    loss.backward()
    opt.step()
net.eval()
y = torch.randint(0, 3, (300,))
with torch.no_grad():
    print(f"accuracy {(net(centres[y] + torch.randn(300, 4)).argmax(1) == y).float().mean().item():.3f}")
