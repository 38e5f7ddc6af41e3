"""A thermostat that has one array for its whole life; an agent's memory appends what `step` gives, though the first state is copied."""

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
        self.now[0] += 0.3 * heat + 0.1 * (self.now[1] - self.now[0])
        self.hours += 1
        return self.now, -abs(float(self.now[0])), self.hours >= 12


class Transition(NamedTuple):
    state: np.ndarray
    action: int
    reward: float
    following: np.ndarray
    over: bool


class Agent:
    def __init__(self):
        self.memory = deque(maxlen=1000)
        self.values = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
        self.optimizer = torch.optim.Adam(self.values.parameters(), lr=1e-3)

    def remember(self, *parts):
        self.memory.append(Transition(*parts))  #~ DAT130

    def learn(self):
        states, actions, rewards, following, over = zip(*random.sample(self.memory, 32), strict=True)
        with torch.no_grad():
            ahead = self.values(torch.as_tensor(np.array(following))).amax(1)
        wanted = torch.tensor(rewards) + 0.9 * ahead * (1 - torch.tensor(over).float())
        chosen = self.values(torch.as_tensor(np.array(states))).gather(1, torch.tensor(actions)[:, None]).squeeze(1)
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
