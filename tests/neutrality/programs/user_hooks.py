"""Hooks of the program: how many there are, in which order they run, what they return."""
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
log = []
handles = [
    model.register_forward_pre_hook(lambda m, i: log.append("pre")),
    model.register_forward_hook(lambda m, i, o: o * 2),
    model.first.register_full_backward_hook(lambda m, i, o: log.append("back")),
    model.last.weight.register_hook(lambda g: g * 0.5),
    model.last.weight.register_post_accumulate_grad_hook(lambda p: log.append("accumulated")),
    optimizer.register_step_pre_hook(lambda o, a, k: log.append("step pre")),
    optimizer.register_step_post_hook(lambda o, a, k: log.append("step post")),
    model.register_state_dict_post_hook(lambda m, s, p, l: log.append("state")),
    model.register_load_state_dict_post_hook(lambda m, k: log.append("loaded")),
]
print(train(model, optimizer, steps=2).item())
model.load_state_dict(model.state_dict())
print(log)
print([len(getattr(model, name)) for name in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_state_dict_hooks", "_load_state_dict_post_hooks")])
print(len(optimizer._optimizer_step_pre_hooks), len(optimizer._optimizer_step_post_hooks), len(model.last.weight._backward_hooks))
for handle in handles:
    handle.remove()
print([len(getattr(model, name)) for name in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks")], model.first._is_full_backward_hook)
