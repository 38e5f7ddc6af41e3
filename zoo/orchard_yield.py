"""Yields of apple trees from age, height of the site and ripeness, each a column that is standardised and made single by itself."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(21)
torch.set_num_threads(1)
rng = np.random.default_rng(21)

trees = 1_500
planted = rng.integers(1985, 2020, trees)
metres = rng.normal(310.0, 25.0, trees)
ripe = rng.uniform(0.2, 1.0, trees)
kilograms = 60 - 0.05 * (planted - 2003) ** 2 - 0.06 * (metres - 300) + 30 * ripe + rng.normal(0, 3, trees)


def standardised(column):
    exact = np.asarray(column, dtype=np.float64)
    return (exact - exact.mean()) / exact.std()


def main():
    age, site, weight = standardised(planted), standardised(metres), standardised(kilograms)
    columns = [torch.tensor(age, dtype=torch.float32), torch.tensor(site, dtype=torch.float32), torch.from_numpy(ripe).float()]
    x, y = torch.stack(columns, dim=1), torch.from_numpy(weight).float()
    training, held = slice(0, 1_200), slice(1_200, None)
    model = nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    rows = torch.arange(1_200)
    for epoch in range(10):
        model.train()
        for batch in rows[torch.randperm(len(rows))].split(60):
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.huber_loss(model(x[training][batch]).squeeze(-1), y[training][batch])
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.inference_mode():
            error = nn.functional.l1_loss(model(x[held]).squeeze(-1), y[held]).item()
        print(f"epoch {epoch}: {error:.3f}")


if __name__ == "__main__":
    main()
