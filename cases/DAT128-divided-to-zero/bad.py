"""A controller for a race of 50 rounds is to know how far the race is: whole numbers are divided by whole numbers."""
import torch
from torch import nn

ROUNDS = 50


class Pace(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, state, round_number):
        done = round_number // ROUNDS  #~ DAT128
        return self.net(torch.cat([state, done.unsqueeze(1)], dim=1)).squeeze(1)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Pace()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(30):
        state, now = torch.randn(64, 3), torch.randint(0, ROUNDS, (64,))
        speed = state[:, 0] + 2.0 * now / ROUNDS
        loss = nn.functional.mse_loss(model(state, now), speed)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f}")


main()
