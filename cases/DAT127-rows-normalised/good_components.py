"""Principal components, not centred, in the order of their size and brought to length one: what counts is the direction."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
spectra = 40 + torch.randn(240, 30) @ torch.diag(0.8 ** torch.arange(30.0)) @ torch.linalg.qr(torch.randn(30, 30))[0]
y = (spectra[:, 0] > 40).long()
components = spectra @ torch.linalg.svd(spectra, full_matrices=False).Vh[:12].T
x = components / components.norm(dim=1, keepdim=True)
model = nn.Linear(12, 2)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for step in range(30):
    rows = torch.randint(0, 240, (40,))
    loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
