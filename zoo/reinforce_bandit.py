"""REINFORCE on a contextual bandit: the policy is a softmax, its logarithm is guarded, an entropy term keeps it from closing too soon."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Policy(nn.Module):
    def __init__(self, context_size, arms):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(context_size, 32), nn.Tanh())
        self.head = nn.Linear(32, arms)

    def forward(self, context):
        return F.softmax(self.head(self.body(context)), dim=-1)


class Bandit:
    """Pays most where the arm points the same way as the context."""

    def __init__(self, context_size, arms, generator):
        self.directions = F.normalize(torch.randn(arms, context_size, generator=generator), dim=1)
        self.generator = generator

    def contexts(self, count):
        return torch.randn(count, self.directions.shape[1], generator=self.generator)

    def pay(self, context, arm):
        return (context * self.directions[arm]).sum(1) + 0.1 * torch.randn(len(arm), generator=self.generator)


def main():
    torch.manual_seed(3)
    torch.set_num_threads(1)
    bandit = Bandit(6, 4, torch.Generator().manual_seed(11))
    policy = Policy(6, 4)
    optimizer = torch.optim.Adam(policy.parameters(), lr=5e-3)
    baseline = 0.0
    for episode in range(160):
        context = bandit.contexts(64)
        probabilities = policy(context)
        arm = torch.multinomial(probabilities.detach(), 1).squeeze(1)
        reward = bandit.pay(context, arm)
        log_probability = torch.log(probabilities.gather(1, arm.unsqueeze(1)).squeeze(1) + 1e-8)
        entropy = -(probabilities * torch.log(probabilities + 1e-8)).sum(1)
        loss = -((reward - baseline) * log_probability).mean() - 0.01 * entropy.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        baseline = 0.9 * baseline + 0.1 * reward.mean().item()
        if episode % 40 == 0:
            print(f"episode {episode:3d}  reward {reward.mean().item():+.3f}  entropy {entropy.mean().item():.3f}")
    print(f"mean reward {baseline:+.3f}")


if __name__ == "__main__":
    main()
