"""zero_grad before backward, and once more before the loop; nothing stands between backward and step."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 6)
Y = (X[:, 0] - X[:, 1] > 0).float()
model = nn.Linear(6, 1)
opt = torch.optim.Adagrad(model.parameters(), lr=0.2)
model.zero_grad()
for _ in range(5):
    for idx in torch.randperm(256).split(32):
        out = model(X[idx]).squeeze(1)
        opt.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(out, Y[idx])
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
