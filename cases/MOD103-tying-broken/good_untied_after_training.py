"""One script trains with tied weights first, and then lets both go their own way from a copy."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
embed, head = nn.Embedding(18, 12), nn.Linear(12, 18, bias=False)
head.weight = embed.weight
model = nn.Sequential(embed, head)


def train(steps):
    opt = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(steps):
        x = torch.randint(0, 18, (40,))
        loss = nn.functional.cross_entropy(model(x), (x + 4) % 18)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


print(f"tied {train(40):.3f}")
head.weight = nn.Parameter(embed.weight.detach().clone())
print(f"untied {train(40):.3f}")
