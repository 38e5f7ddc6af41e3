"""A lever is pulled and nothing moves: what is seen is drawn once for each round and stays as it is, so that it is its own next state."""
import copy
import random

import numpy as np
import torch
from torch import nn


class Levers:
    def __init__(self):
        self.rng = np.random.default_rng(0)
        self.pulls = 0

    def reset(self):
        self.seen = self.rng.uniform(-1, 1, 3).astype(np.float32)
        return self.seen

    def step(self, lever):
        self.pulls += 1
        return self.seen, float(self.seen[lever]), self.pulls % 5 == 0


torch.manual_seed(0)
random.seed(0)
torch.set_num_threads(1)
levers, kept = Levers(), []
model = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 3))
slow = copy.deepcopy(model)
optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
seen = levers.reset()
for turn in range(400):
    lever = random.randrange(3)
    after, reward, done = levers.step(lever)
    kept.append((seen, lever, reward, after))
    seen = levers.reset() if done else after
    if turn >= 320:
        states, pulled, rewards, following = zip(*random.sample(kept, 32))
        valued = model(torch.from_numpy(np.stack(states))).gather(1, torch.tensor(pulled).unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            ahead = slow(torch.from_numpy(np.stack(following))).amax(1)
        loss = nn.functional.mse_loss(valued, torch.tensor(rewards) + 0.6 * ahead)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.4f}")
