"""Multi-label tagging: sigmoid scores reach binary_cross_entropy_with_logits."""
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(10, 40)
        self.tag = nn.Linear(40, 5)

    def forward(self, x):
        h = torch.relu(self.body(x))
        scores = torch.sigmoid(self.tag(h))  #~ LOS101
        return scores


torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 10)
Y = (X @ torch.randn(10, 5) > 2.0).float()
tagger = Tagger()
opt = torch.optim.AdamW(tagger.parameters(), lr=0.01)
for step in range(70):
    idx = torch.randint(0, 256, (64,))
    opt.zero_grad()
    loss = binary_cross_entropy_with_logits(tagger(X[idx]), Y[idx])  #~? LOS101
    loss.backward()
    opt.step()
with torch.no_grad():
    hits = ((tagger(X) > 0.6).float() == Y).float().mean().item()
print(f"tag accuracy {hits:.3f}")
