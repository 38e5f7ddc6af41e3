"""A hand-written backward divides by a norm that is zero for one sample."""
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)

class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.norm(dim=1, keepdim=True); ctx.save_for_backward(x, y); return y
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * x / y  #~ NUM101
net = nn.Linear(4, 8, bias=False)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
X = torch.randn(640, 4); X[330] = 0.
for i in range(0, 640, 16):
    loss = F.apply(net(X[i:i+16])).mean()
    opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())
