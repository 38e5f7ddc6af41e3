#~ crash: SHP202
#~ edit: .float()
#~ edit: argmax
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(3):
    x = torch.randn(16, 10)
    labels = torch.randint(0, 4, (16,))
    targets = nn.functional.one_hot(labels, 4)  #~ maker
    loss = criterion(model(x), targets)  #~ fails
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("ok")
