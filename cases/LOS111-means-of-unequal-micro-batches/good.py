"""The same tagger with sums, divided by the number of tokens in all micro-batches of the step."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
embed, out = nn.Embedding(20, 12, padding_idx=0), nn.Linear(12, 5)
optimizer = torch.optim.Adam([*embed.parameters(), *out.parameters()], lr=0.01)


def make_batch(longest):
    lengths = torch.randint(2, longest + 1, (6,))
    tokens = torch.randint(1, 20, (6, 12))
    tokens[torch.arange(12) >= lengths[:, None]] = 0
    return tokens, (tokens % 5).masked_fill(tokens == 0, -100)


for step in range(20):
    batches = [make_batch(4 if number % 2 else 12) for number in range(4)]
    num_targets = sum(int((labels != -100).sum()) for _, labels in batches)
    optimizer.zero_grad()
    for tokens, labels in batches:
        loss = F.cross_entropy(out(embed(tokens)).flatten(0, 1), labels.flatten(), reduction="sum") / num_targets
        loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
