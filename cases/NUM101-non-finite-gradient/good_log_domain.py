"""A forward algorithm in the log domain, in which forbidden transitions are minus infinity throughout."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
states, length = 4, 6
emit = nn.Linear(3, states)
free = nn.Parameter(torch.zeros(states, states))
allowed = torch.ones(states, states).triu() - torch.ones(states, states).triu(2)
opt = torch.optim.Adam([*emit.parameters(), free], lr=0.05)


def log_partition(score, transition):
    alpha = score[:, 0]
    for t in range(1, length):
        alpha = torch.logsumexp(alpha.unsqueeze(2) + transition, dim=1) + score[:, t]
    return torch.logsumexp(alpha, dim=1)


for _ in range(40):
    path = torch.tensor([0, 0, 1, 2, 2, 3]).expand(16, -1)
    x = nn.functional.one_hot(path, 4)[..., :3].float() + 0.3 * torch.randn(16, length, 3)
    transition = free.masked_fill(allowed == 0, float("-inf"))
    score = emit(x)
    gold = score.gather(2, path.unsqueeze(2)).sum((1, 2)) + transition[path[:, :-1], path[:, 1:]].sum(1)
    loss = (log_partition(score, transition) - gold).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
