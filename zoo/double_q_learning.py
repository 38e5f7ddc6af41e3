"""Double Q-learning on a small corridor: a target network that is synchronised now and then, a replay memory, and gradients clamped by hand."""

import copy
import random
from collections import deque

import torch
from torch import nn
from torch.nn import functional as F


class Corridor:
    """Walk right to the end for a reward; each step costs a little."""

    def __init__(self, length=8):
        self.length = length

    def reset(self):
        self.position = random.randrange(self.length // 2)
        return self.observe()

    def observe(self):
        return F.one_hot(torch.tensor(self.position), self.length).float()

    def step(self, action):
        self.position = max(0, self.position + (1 if action else -1))
        done = self.position >= self.length - 1
        self.position = min(self.position, self.length - 1)
        return self.observe(), 1.0 if done else -0.05, done


class Agent:
    def __init__(self, observations, actions):
        self.online = nn.Sequential(nn.Linear(observations, 32), nn.ReLU(), nn.Linear(32, actions))
        for layer in self.online:
            if isinstance(layer, nn.Linear):
                nn.init.orthogonal_(layer.weight)
                nn.init.zeros_(layer.bias)
        self.target = copy.deepcopy(self.online)
        self.optimizer = torch.optim.RMSprop(self.online.parameters(), lr=2e-3)
        self.memory = deque(maxlen=500)
        self.seen = set()

    def act(self, observation, epsilon):
        if random.random() < epsilon:
            return random.randrange(2)
        with torch.no_grad():
            return int(self.online(observation).argmax())

    def remember(self, observation, action, reward, following, done):
        self.seen.add(int(observation.argmax()))
        self.memory.append((observation, action, reward, following, done))

    def learn(self, size=32, gamma=0.95):
        batch = random.sample(self.memory, size)
        observations = torch.stack([item[0] for item in batch])
        actions = torch.tensor([item[1] for item in batch])
        rewards = torch.tensor([item[2] for item in batch])
        followings = torch.stack([item[3] for item in batch])
        running = torch.tensor([not item[4] for item in batch]).float()
        values = self.online(observations).gather(1, actions.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            chosen = self.online(followings).argmax(1, keepdim=True)
            wanted = rewards + gamma * running * self.target(followings).gather(1, chosen).squeeze(1)
        loss = F.smooth_l1_loss(values, wanted)
        self.optimizer.zero_grad()
        loss.backward()
        for parameter in self.online.parameters():
            parameter.grad.data.clamp_(-1, 1)
        self.optimizer.step()
        return loss.item()

    def synchronise(self):
        self.target.load_state_dict(self.online.state_dict())


def main():
    random.seed(0)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    world, agent = Corridor(), Agent(8, 2)
    losses = []
    steps = 0
    for episode in range(25):
        observation = world.reset()
        for _ in range(30):
            action = agent.act(observation, epsilon=max(0.1, 1 - episode / 15))
            following, reward, done = world.step(action)
            agent.remember(observation, action, reward, following, done)
            observation = following
            steps += 1
            if len(agent.memory) >= 64 and steps % 2 == 0:
                losses.append(agent.learn())
            if steps % 50 == 0:
                agent.synchronise()
            if done:
                break
    print(f"{len(losses)} updates, {len(agent.seen)} places seen, loss {sum(losses[-20:]) / 20:.4f}")


if __name__ == "__main__":
    main()
