"""L-BFGS clears the gradients inside its closure, several times in one step."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
x = torch.linspace(-2, 2, 100).unsqueeze(1)
y = x**3 - x
net = nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Linear(12, 1))
opt = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=4, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    return loss


for _ in range(20):
    loss = opt.step(closure)
print(f"loss {loss.item():.5f}")
