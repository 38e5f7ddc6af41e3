"""Only the encoder is switched to eval for validation; the decoder's dropout stays on."""
import torch
from torch import nn
import torch.nn.functional as F


class System:
    def __init__(self):
        self.encoder = nn.Sequential(nn.Linear(10, 40), nn.BatchNorm1d(40), nn.ReLU())
        self.decoder = nn.Sequential(nn.Dropout(0.5), nn.Linear(40, 10))
        params = [*self.encoder.parameters(), *self.decoder.parameters()]
        self.opt = torch.optim.Adam(params, lr=0.01)

    def step(self, x):
        self.opt.zero_grad()
        F.mse_loss(self.decoder(self.encoder(x)), x).backward()
        self.opt.step()

    def evaluate(self, x):
        self.encoder.eval()
        with torch.no_grad():
            code = self.encoder(x)
            error = F.mse_loss(self.decoder(code), x).item()  #~ MOD102
        self.encoder.train()
        return error


torch.manual_seed(0)
torch.set_num_threads(1)
basis = torch.randn(4, 10)
data, held_out = torch.randn(256, 4) @ basis, torch.randn(64, 4) @ basis
system = System()
history = []
for epoch in range(6):
    for idx in torch.randperm(256).split(32):
        system.step(data[idx])
    history.append(system.evaluate(held_out))
print(f"held-out reconstruction error {history[-1]:.3f}")
