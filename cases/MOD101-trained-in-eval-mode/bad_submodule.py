"""Only the encoder is put in evaluation mode to embed the data set, and it stays there for the next epochs."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(192, 1, 8, 8) * 2 + 1
Y = (X[:, 0, :4].mean((1, 2)) > X[:, 0, 4:].mean((1, 2))).long()
encoder = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 16))
head = nn.Linear(16, 2)
opt = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=2e-3)


@torch.no_grad()
def embed_all(x):
    encoder.eval()  #~ MOD101
    return torch.cat([encoder(x[i : i + 32]) for i in range(0, len(x), 32)])


spread = []
for epoch in range(5):
    for idx in torch.randperm(192).split(32):
        loss = nn.functional.cross_entropy(head(encoder(X[idx])), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    spread.append(embed_all(X).std().item())
print(f"loss {loss.item():.3f}, bn mean {encoder[1].running_mean.abs().mean():.3f}, spread {spread[-1]:.2f}")
