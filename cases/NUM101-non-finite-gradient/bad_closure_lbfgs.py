"""L-BFGS computes its gradients in a closure, and late in the training a root in it is taken of zero."""
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)

net = nn.Linear(4, 8)
opt = torch.optim.LBFGS(net.parameters(), lr=0.1, max_iter=3)
X = torch.randn(640, 4); X[320:336] = 0.
for i in range(0, 640, 16):
    x = X[i:i+16]
    def closure():
        opt.zero_grad()
        h = net(x) - net.bias
        loss = torch.sqrt((h ** 2).sum(1)).mean()  #~ NUM101
        loss.backward()
        return loss
    opt.step(closure)
print(loss.item() if 'loss' in dir() else 'done', net.weight.sum().item())
