"""Zero-initialised residual branches and embeddings not in the batch get a gradient of zero and rightly stay."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Residual(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.first, self.second = nn.Linear(d, d), nn.Linear(d, d)
        nn.init.zeros_(self.second.weight)
        nn.init.zeros_(self.second.bias)

    def forward(self, x):
        return x + self.second(torch.relu(self.first(x)))


emb, body, out = nn.Embedding(40, 12), Residual(12), nn.Linear(12, 2)
opt = torch.optim.SGD([*emb.parameters(), *body.parameters(), *out.parameters()], lr=0.3)
for _ in range(60):
    token = torch.randint(0, 40, (16,))
    loss = nn.functional.cross_entropy(out(body(emb(token))), token % 2)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
