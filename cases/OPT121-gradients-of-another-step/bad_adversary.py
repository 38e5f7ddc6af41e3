"""A filter learns to hide a secret from a guesser, whose gradients are cleared at the top of the loop by the wrong call."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(1)
torch.set_num_threads(1)


class Game:
    def __init__(self):
        self.filter, self.guesser = nn.Linear(8, 8), nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
        self.of_filter = torch.optim.SGD(self.filter.parameters(), lr=0.05)
        self.of_guesser = torch.optim.SGD(self.guesser.parameters(), lr=0.1)

    def guess(self, rows, secret):
        loss = F.cross_entropy(self.guesser(self.filter(rows).detach()), secret)
        loss.backward()
        self.of_guesser.step()  #~ OPT121
        self.guesser.zero_grad(set_to_none=False)
        return loss.item()

    def hide(self, rows, secret):
        self.of_filter.zero_grad()
        hidden = self.filter(rows)
        loss = F.mse_loss(hidden, rows) - F.cross_entropy(self.guesser(hidden), secret)
        loss.backward()
        self.of_filter.step()


game = Game()
for _ in range(30):
    rows = torch.randn(40, 8)
    secret = (rows[:, 0] > 0).long()
    guessed = game.guess(rows, secret)
    game.hide(rows, secret)
print(f"{guessed:.3f}")
