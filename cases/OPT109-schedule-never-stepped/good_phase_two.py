"""The schedule belongs to the optimizer of phase two and is stepped there only; phase one has a constant rate."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
body, head = nn.Sequential(nn.Linear(6, 32), nn.ReLU()), nn.Linear(32, 2)
warm_opt = torch.optim.Adam(head.parameters(), lr=0.01)
full_opt = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1, momentum=0.9)
schedule = torch.optim.lr_scheduler.LambdaLR(full_opt, lambda step: 1 - step / 40)


def run(optimizer, steps, after_step):
    for _ in range(steps):
        x = torch.randn(32, 6)
        loss = nn.functional.cross_entropy(head(body(x)), (x.sum(1) > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        after_step()
    return loss.item()


body.requires_grad_(False)
first = run(warm_opt, 30, lambda: None)
body.requires_grad_(True)
second = run(full_opt, 40, schedule.step)
print(f"loss {first:.3f}, then {second:.3f}")
