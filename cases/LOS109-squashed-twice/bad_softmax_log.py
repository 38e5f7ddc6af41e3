"""A softmax in the model and another in the loss by hand, before the logarithm."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(240, 6)
Y = (X @ torch.randn(6, 3)).argmax(1)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3), nn.Softmax(dim=-1))
opt = torch.optim.AdamW(model.parameters(), lr=0.01)


def negative_log_likelihood(output, target):
    log_p = torch.log(F.softmax(output, dim=-1) + 1e-9)  #~ LOS109
    return F.nll_loss(log_p, target)


for epoch in range(5):
    for idx in torch.randperm(240).split(24):
        loss = negative_log_likelihood(model(X[idx]), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
