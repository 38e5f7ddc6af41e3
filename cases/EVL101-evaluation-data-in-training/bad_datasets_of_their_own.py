"""Two datasets of the program's own read the same samples: the index of the validation part begins too early."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Signals(Dataset):
    def __init__(self, store, indices):
        self.store, self.indices = store, indices

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, number):
        signal = self.store[self.indices[number]]
        return {"signal": signal, "energy": signal.square().mean()}


torch.manual_seed(0)
torch.set_num_threads(1)
store = torch.randn(400, 24)
train_loader = DataLoader(Signals(store, list(range(0, 320))), batch_size=20, shuffle=True)
val_loader = DataLoader(Signals(store, list(range(240, 400))), batch_size=40)  #~ EVL101
model = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for batch in train_loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(batch["signal"]).squeeze(1), batch["energy"]).backward()
        optimizer.step()
    with torch.no_grad():
        errors = [nn.functional.mse_loss(model(batch["signal"]).squeeze(1), batch["energy"]) for batch in val_loader]
    print(epoch, torch.stack(errors).mean().item())
