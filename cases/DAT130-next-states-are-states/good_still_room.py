"""A thermostat moves one array; what is kept are tensors made of it, and heating never changes a room that is left open."""

import random
from collections import deque
from typing import NamedTuple

import numpy as np
import torch
from torch import nn


class Room:
    """Temperature and outside temperature; heat or not."""

    def __init__(self):
        self.now = np.zeros(2, dtype=np.float32)
        self.hours = 0

    def reset(self):
        self.now[:] = random.uniform(-1, 1), random.uniform(-1, 0)
        self.hours = 0
        return self.now

    def step(self, heat):
        self.now[0] += 0.0 * heat
        self.hours += 1
        return self.now, -abs(float(self.now[0])), self.hours >= 12


class Transition(NamedTuple):
    state: torch.Tensor
    action: int
    reward: float
    following: torch.Tensor
    over: bool


class Agent:
    def __init__(self):
        self.memory = deque(maxlen=1000)
        self.values = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
        self.optimizer = torch.optim.Adam(self.values.parameters(), lr=1e-3)

    def remember(self, *parts):
        state, action, reward, following, over = parts
        self.memory.append(Transition(torch.tensor(state), action, reward, torch.tensor(following), over))

    def learn(self):
        states, actions, rewards, following, over = zip(*random.sample(self.memory, 32), strict=True)
        with torch.no_grad():
            ahead = self.values(torch.stack(following)).amax(1)
        wanted = torch.tensor(rewards) + 0.9 * ahead * (1 - torch.tensor(over).float())
        chosen = self.values(torch.stack(states)).gather(1, torch.tensor(actions)[:, None]).squeeze(1)
        loss = nn.functional.mse_loss(chosen, wanted)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


random.seed(0)
torch.manual_seed(0)
torch.set_num_threads(1)
room, agent, loss = Room(), Agent(), 0.0
for _ in range(12):
    state, over = room.reset().copy(), False
    while not over:
        action = random.randrange(2)
        following, reward, over = room.step(action)
        agent.remember(state, action, reward, following, over)
        state = following
        if len(agent.memory) > 40:
            loss = agent.learn()
print(loss)
