"""Every way of calling the clipping functions."""
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
train(model, optimizer)
parameters = list(model.parameters())
print(nn.utils.clip_grad_norm_(model.parameters(), 1.0))
print(nn.utils.clip_grad_norm_(parameters=parameters, max_norm=0.5, norm_type=1, error_if_nonfinite=True, foreach=False))
print(nn.utils.clip_grad_norm_(parameters[0], 0.2))
print(nn.utils.clip_grad_norm_((p for p in parameters), max_norm=0.1))
print(nn.utils.clip_grad_norm_([], 1.0), nn.utils.clip_grad_value_(parameters, 0.01), nn.utils.clip_grad_value_(parameters, clip_value=0.005))
print(max(p.grad.abs().max().item() for p in parameters))
for wrong in (lambda: nn.utils.clip_grad_norm_(), lambda: nn.utils.clip_grad_norm_(parameters), lambda: nn.utils.clip_grad_norm_(parameters, 1.0, max_norm=2)):
    try:
        wrong()
    except TypeError as error:
        print("TypeError", error)
parameters[0].grad[0, 0] = float("nan")
try:
    nn.utils.clip_grad_norm_(parameters, 1.0, error_if_nonfinite=True)
except RuntimeError as error:
    print(error)
