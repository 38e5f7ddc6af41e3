"""load_state_dict without assign, .double() and .data assignments all keep the parameters that the optimizer holds."""
import copy
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(6, 24), nn.SiLU(), nn.Linear(24, 1))
opt = torch.optim.Adam(model.parameters(), lr=0.01)
pretrained = copy.deepcopy(model.state_dict())
pretrained["2.bias"].fill_(0.5)
model.load_state_dict(pretrained)
model.double()
model[0].weight.data = model[0].weight.data.clone() * 1.1
opt.load_state_dict(opt.state_dict())
for _ in range(60):
    x = torch.randn(32, 6, dtype=torch.float64)
    loss = nn.functional.mse_loss(model(x), x[:, :1] * 2)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.4f}")
