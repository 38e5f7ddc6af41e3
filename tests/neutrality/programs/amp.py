"""Autocast and a gradient scaler, switched on and off."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 12)
        self.norm = nn.BatchNorm1d(12)
        self.drop = nn.Dropout(0.3)
        self.last = nn.Linear(12, 3)

    def forward(self, x):
        return self.last(self.drop(torch.relu(self.norm(self.first(x)))))


def train(model, optimizer, steps=5):
    for _ in range(steps):
        x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for enabled in (True, False):
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=2, enabled=enabled)
    for number in range(5):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(model(torch.randn(16, 6)), torch.randint(0, 3, (16,)))
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        if number == 3:
            model.first.weight.grad[0, 0] = float("inf")
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        result = scaler.step(optimizer)
        scaler.update()
        print(loss.item(), result, scaler.get_scale())
    print(scaler.state_dict(), scaler.scale([loss, (loss,)]) is not None)
print(model.first.weight.isfinite().all().item())
