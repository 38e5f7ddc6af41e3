#~ crash: SHP201
#~ edit: [0]
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Embedding(40, 16),
    nn.LSTM(16, 32, batch_first=True),  #~ maker
    nn.Linear(32, 2),  #~ maker
)
optimizer = torch.optim.Adam(model.parameters())
for _ in range(2):
    ids, labels = torch.randint(0, 40, (8, 12)), torch.randint(0, 2, (8,))
    logits = model(ids)  #~ fails
    loss = nn.functional.cross_entropy(logits[:, -1], labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("ok")
