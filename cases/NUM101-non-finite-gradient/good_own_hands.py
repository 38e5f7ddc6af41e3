"""A function with its own backward, a hook and a statement that writes gradients, all of them safe."""
import torch
from torch import nn


class Length(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        length = x.norm(dim=1, keepdim=True)
        ctx.save_for_backward(x, length)
        return length

    @staticmethod
    def backward(ctx, gradient):
        x, length = ctx.saved_tensors
        return gradient * x / length.clamp_min(1e-8)


torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Linear(4, 8, bias=False)
net.weight.register_hook(lambda gradient: gradient / (1 + gradient.norm()))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
X = torch.randn(320, 4)
X[170] = 0
for i in range(0, 320, 16):
    loss = Length.apply(net(X[i : i + 16])).mean()
    opt.zero_grad()
    loss.backward()
    for p in net.parameters():
        p.grad /= p.grad.norm() + 1e-6
    opt.step()
print(loss.item())
