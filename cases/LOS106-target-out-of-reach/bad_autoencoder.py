"""An autoencoder of standardised inputs with a sigmoid at its end, and an L1 loss."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.randn(256, 3) @ torch.randn(3, 12)
X = (X - X.mean(0)) / X.std(0)
encoder = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 3))
decoder = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 12), nn.Sigmoid())  #~ LOS106
opt = torch.optim.AdamW([*encoder.parameters(), *decoder.parameters()], lr=0.01)
loss_fn = nn.L1Loss()
for epoch in range(5):
    for idx in torch.randperm(256).split(32):
        again = decoder(encoder(X[idx]))
        loss = loss_fn(again, X[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
