"""Tell from a few numbers whether an order is sent back: rows are cut from arrays by hand and mixed by `lerp`, a share for each batch."""

import torch
from torch import nn

torch.manual_seed(29)
torch.set_num_threads(1)


class Shop:
    """Orders with eight numbers each; three outcomes that depend on some of them."""

    def __init__(self, count):
        self.rows = torch.randn(count, 8)
        score = torch.stack([self.rows[:, 0] + self.rows[:, 1], self.rows[:, 2] - self.rows[:, 3], 0.7 * self.rows[:, 4]], 1)
        self.outcomes = (score + 0.3 * torch.randn(count, 3)).argmax(1)

    def batches(self, size):
        order = torch.randperm(len(self.rows))
        for begin in range(0, len(order) - size + 1, size):
            chosen = order[begin : begin + size]
            yield self.rows[chosen], self.outcomes[chosen]


class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(8, 48), nn.LayerNorm(48), nn.GELU(), nn.Dropout(0.1), nn.Linear(48, 3))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=5e-3)
        self.shares = torch.distributions.Beta(torch.tensor(0.8), torch.tensor(0.8))

    def step(self, rows, outcomes):
        amount = self.shares.sample()
        other = torch.randperm(len(rows))
        logits = self.model(torch.lerp(rows, rows[other], amount))
        own, others = nn.functional.cross_entropy(logits, outcomes), nn.functional.cross_entropy(logits, outcomes[other])
        loss = (1 - amount) * own + amount * others
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    @torch.no_grad()
    def accuracy(self, shop):
        self.model.eval()
        right = (self.model(shop.rows).argmax(1) == shop.outcomes).float().mean().item()
        self.model.train()
        return right


train, held, trainer = Shop(1200), Shop(300), Trainer()
for epoch in range(6):
    losses = [trainer.step(rows, outcomes) for rows, outcomes in train.batches(40)]
    print(f"epoch {epoch}: loss {sum(losses) / len(losses):.3f}, held out {trainer.accuracy(held):.3f}")
