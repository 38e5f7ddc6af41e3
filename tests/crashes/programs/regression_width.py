#~ crash: SHP201
#~ edit: out_features=2
import torch
import torch.nn as nn
import torch.nn.functional as F


class Pose(nn.Module):
    def __init__(self, out=3):
        super().__init__()
        self.net = nn.ModuleDict({"a": nn.Linear(10, 20), "b": nn.Linear(20, out)})  #~ maker

    def forward(self, x):
        return self.net["b"](F.elu(self.net["a"](x)))


torch.manual_seed(0)
pose = Pose()
optim = torch.optim.SGD(pose.parameters(), lr=1e-2)
for _ in range(2):
    x = torch.randn(32, 10)
    xy = x[:, :2] * 0.5  #~ maker
    loss = F.mse_loss(pose(x), xy)  #~ fails
    optim.zero_grad()
    loss.backward()
    optim.step()
print("posed")
