"""A frozen layer with a low-rank part that is trained, an average of the weights for evaluation, and a tracker of its own."""

import copy

import torch
from accelerate import Accelerator
from accelerate.tracking import GeneralTracker, on_main_process
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Lines(GeneralTracker):
    name, requires_logging_directory = "lines", False

    @on_main_process
    def __init__(self):
        super().__init__()
        self.kept = []

    @property
    def tracker(self):
        return self.kept

    def store_init_configuration(self, values):
        self.kept.append(values)

    def log(self, values, step=None):
        self.kept.append((step, values))


class LowRank(nn.Module):
    def __init__(self, layer, rank=2):
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))


torch.manual_seed(4)
accelerator = Accelerator(cpu=True, log_with=Lines())
accelerator.init_trackers("run", {"rank": 2})
model = nn.Sequential(LowRank(nn.Linear(6, 24)), nn.ReLU(), nn.Dropout(0.1), LowRank(nn.Linear(24, 3)))
average = copy.deepcopy(model).requires_grad_(False).eval()
x = torch.randn(180, 6)
loader = DataLoader(TensorDataset(x, x[:, :3].argmax(1)), batch_size=18, shuffle=True)
optimizer = torch.optim.AdamW((parameter for parameter in model.parameters() if parameter.requires_grad), lr=1e-2)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
step = 0
for _ in range(5):
    for inputs, targets in loader:
        loss = nn.functional.cross_entropy(model(inputs), targets)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        accelerator.log({"loss": loss.item()}, step=step)
        with torch.no_grad():
            for mine, theirs in zip(average.parameters(), accelerator.unwrap_model(model).parameters(), strict=True):
                mine.lerp_(theirs, 0.1)
accelerator.end_training()
with torch.no_grad():
    print(round((average(x).argmax(1) == x[:, :3].argmax(1)).float().mean().item(), 4), len(accelerator.trackers[0].kept))
