"""New recordings are looked up among those that are known, in one memory: as many of the one as of the other."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
speakers = torch.arange(10).repeat(12)
voices = torch.randn(10, 20)[speakers] + 0.3 * torch.randn(120, 20)
encoder = nn.Sequential(nn.Linear(20, 32), nn.Tanh(), nn.Linear(32, 6))
classifier = nn.Linear(6, 10)
optimizer = torch.optim.Adam([*encoder.parameters(), *classifier.parameters()], lr=3e-3)


@torch.no_grad()
def found(voices, speakers):
    places = F.normalize(encoder(voices), dim=1)
    known, asked = places[:60], places[60:]
    nearest = (asked @ known.T).argmax(1)
    return (speakers[:60][nearest] == speakers[60:]).float().mean().item()


for epoch in range(5):
    for batch in torch.randperm(120).split(24):
        optimizer.zero_grad()
        F.cross_entropy(classifier(encoder(voices[batch])), speakers[batch]).backward()
        optimizer.step()
    print(f"epoch {epoch} found {found(voices, speakers):.3f}")
