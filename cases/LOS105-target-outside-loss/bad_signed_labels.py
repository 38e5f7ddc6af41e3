"""Labels of -1 and 1, as a margin loss wants them, in binary cross-entropy with logits."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 8)
Y = torch.sign(X[:, 0] - X[:, 1])
model = nn.Linear(8, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(5):
    for idx in torch.randperm(256).split(32):
        score = model(X[idx]).squeeze(-1)
        loss = F.binary_cross_entropy_with_logits(score, Y[idx])  #~ LOS105
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
