"""A sample is predicted from the targets of its neighbours in the batch."""
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(640, 6); Y = X[:, :1]
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(X, Y), batch_size=16, shuffle=True)
q, k, v = nn.Linear(6, 8), nn.Linear(6, 8), nn.Linear(1, 1)
opt = torch.optim.Adam([*q.parameters(), *k.parameters(), *v.parameters()], lr=1e-2)
for x, y in loader:
    s = q(x) @ k(x).T
    s = s.masked_fill(torch.eye(len(x)).bool(), float("-inf"))
    loss = F.mse_loss(v(s.softmax(1) @ y), y)
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())
