#~ crash: SHP201
#~ edit: .unsqueeze(1)
#~ edit: .mean(1)
#~ edit: [:, None]
import torch
from torch import nn


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.items = nn.Embedding(100, 16)
        self.profile = nn.Linear(6, 16)
        self.head = nn.Linear(16, 1)

    def forward(self, history, features):
        seen = self.items(history)  #~ maker
        person = self.profile(features)  #~ maker
        tokens = torch.cat([person, seen], dim=1)  #~ fails
        return self.head(tokens.mean(1)).squeeze(1)


torch.manual_seed(0)
model = Recommender()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(2):
    history, features = torch.randint(0, 100, (8, 10)), torch.randn(8, 6)
    clicked = torch.randint(0, 2, (8,)).float()
    loss = nn.functional.binary_cross_entropy_with_logits(model(history, features), clicked)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("ok")
