"""A second term, on a sigmoid, whose weight is zero during the first half of training."""

import torch
from torch import nn
torch.manual_seed(0); torch.set_num_threads(1)
body, head, aux = nn.Linear(6,16), nn.Linear(16,1), nn.Linear(16,1)
opt=torch.optim.Adam([*body.parameters(),*head.parameters(),*aux.parameters()],lr=1e-3)
for step in range(60):
    x=torch.randn(32,6)
    h=torch.relu(body(x))
    weight=max(0.0,(step-30)/30)
    loss=nn.functional.mse_loss(head(h),x.sum(1,keepdim=True))+weight*nn.functional.binary_cross_entropy(torch.sigmoid(aux(h)),(x[:,:1]>0).float())
    opt.zero_grad(); loss.backward(); opt.step()
