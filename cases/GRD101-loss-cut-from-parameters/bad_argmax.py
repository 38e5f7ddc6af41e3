"""A classifier trained on the squared error of its argmax, which has no gradient."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(300, 9)
Y = (X @ torch.randn(9, 3)).argmax(1)
model = nn.Sequential(nn.Linear(9, 32), nn.Tanh(), nn.Linear(32, 3))
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for idx in [i for _ in range(5) for i in torch.randperm(300).split(30)]:
    logits, y = model(X[idx]), Y[idx]
    choice = logits.argmax(dim=1).float().requires_grad_()  #~ GRD101
    loss = (choice - y.float()).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    print(f"accuracy {(model(X).argmax(1) == Y).float().mean():.3f}")
