"""Log-probabilities of an episode are kept with their graphs until the episode's loss is differentiated, and then dropped."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
policy = nn.Linear(4, 2)
optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
total = 0.0
for episode in range(12):
    log_probabilities, rewards = [], []
    for _ in range(30):
        state = torch.randn(4)
        choice = torch.distributions.Categorical(logits=policy(state))
        action = choice.sample()
        log_probabilities.append(choice.log_prob(action))
        rewards.append(float(action.item() == int(state[0] > 0)))
    baseline = sum(rewards) / len(rewards)
    loss = -sum(p * (r - baseline) for p, r in zip(log_probabilities, rewards))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += baseline
print(f"reward {total / 12:.3f}")
