"""Probabilities of an older model are kept beside the batches and zipped with a loader that has shuffled anew."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(2)
torch.set_num_threads(1)


def train(model, batches, optimizer):
    for x, soft in batches:  #~ DAT129
        loss = -(soft * model(x).log_softmax(-1)).sum(-1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


x = torch.randn(800, 6)
older = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 5))
newer = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 5))
optimizer = torch.optim.Adam(newer.parameters(), lr=0.01)
loader = DataLoader(TensorDataset(x), batch_size=40, shuffle=True)
with torch.no_grad():
    kept = [torch.softmax(older(batch) / 2, dim=-1) for (batch,) in loader]
for epoch in range(3):
    batches = ((batch, soft) for (batch,), soft in zip(loader, kept))
    print(f"epoch {epoch}: {train(newer, batches, optimizer):.3f}")
