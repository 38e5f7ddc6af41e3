#~ crash: HDW201
#~ edit: to_empty
#~ edit: to(
import torch
from torch import nn

torch.manual_seed(0)
with torch.device("meta"):
    model = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 2))  #~ maker

data = torch.randn(64, 12)
labels = torch.randint(0, 2, (64,))
for step in range(2):
    batch = data[step * 32 : (step + 1) * 32]  #~ maker
    out = model(batch)  #~ fails
    loss = nn.functional.cross_entropy(out, labels[step * 32 : (step + 1) * 32])
    loss.backward()
print("ok")
