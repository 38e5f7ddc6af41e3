"""Hooks on the activations that watch how many units are active and how large the gradients are; they are taken off after training."""

import functools

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

model = nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 4))
x = torch.randn(768, 12)
y = (x[:, :4] + 0.3 * torch.randn(768, 4)).argmax(dim=1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
criterion = nn.CrossEntropyLoss()
active, gradient_norms = {}, {}


def watch_activity(name, module, inputs, output):
    if module.training:
        share = (output.detach() > 0).float().mean().item()
        active[name] = 0.9 * active.get(name, share) + 0.1 * share


def watch_gradient(name, module, grad_input, grad_output):
    gradient_norms[name] = grad_output[0].norm().item()


handles = []
for name, module in model.named_modules():
    if isinstance(module, nn.ReLU):
        handles.append(module.register_forward_hook(functools.partial(watch_activity, name)))
        handles.append(module.register_full_backward_hook(functools.partial(watch_gradient, name)))

for epoch in range(12):
    model.train()
    for rows in torch.randperm(640).split(32):
        optimizer.zero_grad()
        criterion(model(x[rows]), y[rows]).backward()
        optimizer.step()
    if epoch % 4 == 3:
        print(f"epoch {epoch}:", *(f"layer {name} {share:.2f}" for name, share in active.items()))
for handle in handles:
    handle.remove()

model.eval()
with torch.no_grad():
    print(f"accuracy {(model(x[640:]).argmax(dim=1) == y[640:]).float().mean():.3f}")
print("gradients at the end:", *(f"{name} {norm:.4f}" for name, norm in sorted(gradient_norms.items())))
