"""Parameters written through, loop variables that are read again, and dicts that are kept and loaded back."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
state = model.state_dict()
state["weight"] = torch.zeros(1, 5)
model.load_state_dict(state)
model.state_dict()["bias"][0] = 0.0
for step in range(40):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    norm = 0.0
    for weight in model.parameters():
        weight = weight.grad.flatten()
        norm += float(weight @ weight)
    optimizer.step()
    with torch.no_grad():
        for weight in model.parameters():
            weight *= 0.999
        flat = []
        for weight in model.parameters():
            weight = weight.detach().flatten()
            flat.append(weight)
    optimizer.param_groups[0]["lr"] = 0.1 * 0.99**step
