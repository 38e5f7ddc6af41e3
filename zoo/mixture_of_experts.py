"""Two of four experts for each token: each expert adds what it makes of its tokens to their rows, which it meets once."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Experts(nn.Module):
    def __init__(self, width, hidden, num_experts=4, top_k=2):
        super().__init__()
        self.top_k = top_k
        self.router = nn.Linear(width, num_experts, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width)) for _ in range(num_experts)
        )

    def forward(self, x):
        tokens = x.reshape(-1, x.shape[-1])
        probabilities = self.router(tokens).softmax(-1)
        weights, chosen = probabilities.topk(self.top_k, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        mixed = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            rows, slots = torch.where(chosen == number)
            if len(rows):
                mixed[rows] += weights[rows, slots, None] * expert(tokens[rows])
        share = F.one_hot(chosen, len(self.experts)).float().sum(1).mean(0)
        balance = len(self.experts) * (share * probabilities.mean(0)).sum()
        return mixed.view_as(x), balance


class Model(nn.Module):
    def __init__(self, vocabulary, width=24):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.norm = nn.LayerNorm(width)
        self.experts = Experts(width, 32)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens):
        x = self.embed(tokens)
        mixed, balance = self.experts(self.norm(x))
        return self.head(x + mixed), balance


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(5)
    follows = torch.randperm(40, generator=generator)
    model = Model(40)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for step in range(120):
        tokens = torch.randint(0, 40, (16, 12), generator=generator)
        logits, balance = model(tokens)
        loss = F.cross_entropy(logits.flatten(0, 1), follows[tokens].flatten()) + 0.01 * balance
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if (step + 1) % 40 == 0:
            print(f"step {step + 1} loss {loss.item():.3f} balance {balance.item():.3f}")


if __name__ == "__main__":
    main()
