"""Train a generator to match a distribution by its maximum mean discrepancy, a loss over all pairs of samples."""

import torch
import torch.nn as nn

torch.manual_seed(10)
torch.set_num_threads(1)


def sample_data(count):
    """Four Gaussian blobs on the corners of a square, with zero mean and unit variance."""
    corners = torch.tensor([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    chosen = corners[torch.randint(0, 4, (count,))]
    return (chosen + 0.25 * torch.randn(count, 2)) / 1.03


def kernel(a, b, bandwidths=(0.25, 0.5, 1.0)):
    """A sum of Gaussian kernels between each row of a and each row of b."""
    difference = a[:, None, :] - b[None, :, :]
    squared = (difference**2).sum(dim=-1)
    return sum(torch.exp(-squared / (2 * width**2)) for width in bandwidths)


def mmd(x, y):
    n, m = len(x), len(y)
    xx, yy, xy = kernel(x, x), kernel(y, y), kernel(x, y)
    within_x = (xx.sum() - xx.diagonal().sum()) / (n * (n - 1))
    within_y = (yy.sum() - yy.diagonal().sum()) / (m * (m - 1))
    return within_x + within_y - 2 * xy.mean()


generator = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
optimizer = torch.optim.RMSprop(generator.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=150, gamma=0.3)
held_out = sample_data(400)


def test_discrepancy():
    with torch.no_grad():
        return mmd(generator(torch.randn(400, 4)), held_out).item()


print(f"discrepancy before training {test_discrepancy():.4f}")
for iteration in range(450):
    real = sample_data(80)
    fake = generator(torch.randn(80, 4))
    loss = mmd(fake, real)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if iteration % 150 == 149:
        print(f"iteration {iteration + 1}: discrepancy {test_discrepancy():.4f}")
