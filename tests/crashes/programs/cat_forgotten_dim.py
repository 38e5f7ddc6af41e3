#~ crash: SHP201
#~ edit: dim=1
#~ edit: dim=-1
import torch
import torch.nn as nn


class TwoTower(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Sequential(nn.Linear(20, 32), nn.ReLU())
        self.item = nn.Sequential(nn.Linear(12, 16), nn.ReLU())
        self.score = nn.Linear(48, 1)

    def forward(self, u, i):
        u = self.user(u)  #~ maker
        i = self.item(i)  #~ maker
        joint = torch.cat([u, i])  #~ fails
        return self.score(joint).squeeze(1)


def loop(model, steps):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    bce = nn.BCEWithLogitsLoss()
    for step in range(steps):
        users, items = torch.randn(16, 20), torch.randn(16, 12)
        clicked = torch.randint(0, 2, (16,)).float()
        optimizer.zero_grad()
        bce(model(users, items), clicked).backward()
        optimizer.step()


torch.manual_seed(2)
loop(TwoTower(), 3)
print("bye")
