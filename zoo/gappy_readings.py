"""Readings of three meters with gaps: a GRU cell steps through the day, and is given its own forecast where a reading is missing."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class GapFiller(nn.Module):
    def __init__(self, num_meters, width=24):
        super().__init__()
        self.start = nn.Parameter(torch.zeros(width))
        self.cell = nn.GRUCell(2 * num_meters, width)
        self.forecast = nn.Linear(width, num_meters)

    def forward(self, readings, present):
        state = self.start.expand(len(readings), -1)
        forecasts = []
        for t in range(readings.shape[1]):
            guess = self.forecast(state)
            forecasts.append(guess)
            seen = torch.where(present[:, t], readings[:, t], guess)
            state = self.cell(torch.cat([seen, present[:, t].float()], dim=1), state)
        return torch.stack(forecasts, dim=1)


def make_days(num_days, generator):
    hours = torch.arange(24) / 24 * 2 * torch.pi
    phase = torch.rand(num_days, 1, 3, generator=generator) * 2 * torch.pi
    level = torch.randn(num_days, 1, 3, generator=generator)
    readings = torch.sin(hours[None, :, None] + phase) + 0.5 * level
    present = torch.rand(readings.shape, generator=generator) > 0.25
    return readings + 0.05 * torch.randn(readings.shape, generator=generator), present


def masked_error(forecasts, readings, present):
    return ((forecasts - readings).square() * present).sum() / present.sum()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(7)
    loader = DataLoader(TensorDataset(*make_days(256, generator)), batch_size=32, shuffle=True)
    held_readings, held_present = make_days(96, generator)
    model = GapFiller(3)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    best, waited, patience = float("inf"), 0, 3
    for epoch in range(12):
        model.train()
        for readings, present in loader:
            loss = masked_error(model(readings, present), readings, present)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        model.eval()
        with torch.no_grad():
            error = masked_error(model(held_readings, held_present), held_readings, held_present).item()
        print(f"epoch {epoch + 1} loss {loss.item():.3f} held out {error:.3f}")
        if error < best:
            best, waited = error, 0
        else:
            waited += 1
            if waited >= patience:
                break
    print(f"best {best:.3f}")


if __name__ == "__main__":
    main()
