"""The graph is cut at the features and joined again by hand: the head's backward, then features.backward(gradient)."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
trunk = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
head = nn.Linear(32, 3)
opt = torch.optim.SGD([*trunk.parameters(), *head.parameters()], lr=0.2)
X = torch.randn(256, 8)
Y = (X @ torch.randn(8, 3)).argmax(1)
for idx in [i for _ in range(5) for i in torch.randperm(256).split(32)]:
    opt.zero_grad()
    features = trunk(X[idx])
    cut = features.detach().requires_grad_()
    loss = 0.0
    for part, y in zip(cut.chunk(2), Y[idx].chunk(2)):
        piece = nn.functional.cross_entropy(head(part), y) / 2
        piece.backward()
        loss += piece.item()
    features.backward(cut.grad)
    opt.step()
print(f"loss {loss:.3f}")
