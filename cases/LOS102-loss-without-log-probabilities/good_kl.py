"""kl_div as it is meant: of log-probabilities, with targets that are probabilities or, with log_target, their logarithms."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
student, teacher = nn.Linear(8, 5), nn.Linear(8, 5)
opt = torch.optim.Adam(student.parameters(), lr=0.02)
prior = torch.distributions.Dirichlet(torch.ones(5))
for step in range(40):
    x = torch.randn(32, 8)
    with torch.no_grad():
        teaching = teacher(x)
    mine = F.log_softmax(student(x), dim=1)
    loss = F.kl_div(mine, teaching.softmax(1), reduction="batchmean")
    loss = loss + F.kl_div(mine, teaching.log_softmax(1), reduction="batchmean", log_target=True)
    loss = loss + 0.1 * F.kl_div(mine, prior.sample((32,)), reduction="none").sum(1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
