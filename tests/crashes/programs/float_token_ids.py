#~ crash: SHP202
#~ edit: long()
import torch
import torch.nn as nn


class Recommender(nn.Module):
    def __init__(self, users, items, k=8):
        super().__init__()
        self.u = nn.Embedding(users, k)
        self.v = nn.Embedding(items, k)  #~ maker

    def forward(self, u, i):
        return (self.u(u) * self.v(i)).sum(1)  #~ fails


torch.manual_seed(0)
ratings = torch.stack([torch.randint(0, 30, (200,)).float(), torch.randint(0, 50, (200,)).float(), torch.rand(200) * 5], dim=1)
model = Recommender(30, 50)
sgd = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(2):
    for row in ratings.split(50):
        user, item, score = row[:, 0].long(), row[:, 1], row[:, 2]  #~ maker
        loss = ((model(user, item) - score) ** 2).mean()
        sgd.zero_grad()
        loss.backward()
        sgd.step()
print("rated")
