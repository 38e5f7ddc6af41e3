"""A config reader casts the encoder's rate to int, which makes it 0, and nothing complains."""
import torch
from torch import nn
import torch.nn.functional as F

CONFIG = {"encoder": {"lr": 0.05, "momentum": 0.9}, "head": {"lr": 1, "momentum": 0}}


def groups_from(config, modules):
    for name, section in config.items():
        yield {"params": modules[name].parameters(), "lr": int(section["lr"]), "momentum": section["momentum"]}  #~? OPT103


torch.manual_seed(0)
torch.set_num_threads(1)
modules = nn.ModuleDict({"encoder": nn.Linear(10, 8), "head": nn.Linear(8, 3)})
optimizer = torch.optim.SGD(list(groups_from(CONFIG, modules)), lr=0.1)  #~ OPT103
X = torch.randn(300, 10)
Y = (X @ torch.randn(10, 3)).argmax(1)
for step in range(70):
    idx = torch.randint(0, 300, (60,))
    loss = F.cross_entropy(modules["head"](torch.relu(modules["encoder"](X[idx]))), Y[idx])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
