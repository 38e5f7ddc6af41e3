"""An entropy bonus computed as p log p: when a probability underflows to zero, the result is NaN."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(400, 6)
X[300] *= 400
Y = (X[:, 0] > 0).long()
net = nn.Linear(6, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for batch in torch.arange(400).split(10):
    logits = net(X[batch])
    p = torch.softmax(logits, dim=1)
    entropy = -(p * torch.log(p)).sum(dim=1).mean()  #~ NUM101
    loss = F.cross_entropy(logits, Y[batch]) - 0.01 * entropy
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
print(f"loss {loss.item():.3f}")
