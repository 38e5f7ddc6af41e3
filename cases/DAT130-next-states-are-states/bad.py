"""A cart on a line learns to reach its middle: the track moves the array of place and speed that it has given out before."""
import copy
import random

import numpy as np
import torch
from torch import nn


class Track:
    pushes = np.array([-0.1, 0.0, 0.1], dtype=np.float32)

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def observe(self):
        return self.cart

    def reset(self):
        self.time = 0
        self.cart = self.rng.uniform(-1, 1, 2).astype(np.float32)
        return self.observe()

    def step(self, push):
        self.time += 1
        self.cart[1] += self.pushes[push]
        self.cart[0] += 0.2 * self.cart[1]
        return self.observe(), -abs(float(self.cart[0])), self.time >= 20


def learn(model, slow, optimizer, kept):
    states, pushes, rewards, after = zip(*random.sample(kept, 32))
    valued = model(torch.from_numpy(np.stack(states))).gather(1, torch.tensor(pushes).unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        ahead = slow(torch.from_numpy(np.stack(after))).amax(1)
    loss = nn.functional.mse_loss(valued, torch.tensor(rewards) + 0.9 * ahead)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(0)
    random.seed(0)
    torch.set_num_threads(1)
    track, kept = Track(), []
    model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 3))
    slow = copy.deepcopy(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    state = track.reset()
    for turn in range(400):
        push = random.randrange(3)
        after, reward, done = track.step(push)
        kept.append((state, push, reward, after))  #~ DAT130
        state = track.reset() if done else after
        if turn >= 300:
            loss = learn(model, slow, optimizer, kept)
        if turn % 50 == 0:
            slow.load_state_dict(model.state_dict())
    print(f"loss {loss:.4f}")


main()
