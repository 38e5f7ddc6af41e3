"""Balance a pole by REINFORCE with an environment written in the same file."""

import argparse
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical


class CartPole:
    """The classic cart and pole; an episode ends when the pole falls, the cart leaves, or 80 steps are over."""

    gravity, mass_cart, mass_pole, half_length, force, tau = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02

    def __init__(self, seed):
        self.random = random.Random(seed)

    def reset(self):
        self.state = [self.random.uniform(-0.05, 0.05) for _ in range(4)]
        self.time = 0
        return list(self.state)

    def step(self, action):
        x, x_dot, theta, theta_dot = self.state
        force = self.force if action == 1 else -self.force
        total_mass = self.mass_cart + self.mass_pole
        moment = self.mass_pole * self.half_length
        temp = (force + moment * theta_dot**2 * math.sin(theta)) / total_mass
        theta_acc = (self.gravity * math.sin(theta) - math.cos(theta) * temp) / (
            self.half_length * (4.0 / 3.0 - self.mass_pole * math.cos(theta) ** 2 / total_mass)
        )
        x_acc = temp - moment * theta_acc * math.cos(theta) / total_mass
        self.state = [
            x + self.tau * x_dot, x_dot + self.tau * x_acc, theta + self.tau * theta_dot, theta_dot + self.tau * theta_acc
        ]  # fmt: skip
        self.time += 1
        done = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21 or self.time >= 80
        return list(self.state), 1.0, done


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 64)
        self.affine2 = nn.Linear(64, 2)

    def forward(self, x):
        return self.affine2(F.relu(self.affine1(x)))


@torch.no_grad()
def select_action(policy, state):
    probs = F.softmax(policy(torch.tensor(state)), dim=-1)
    return torch.multinomial(probs, num_samples=1).item()


def finish_episode(policy, optimizer, states, actions, rewards, gamma):
    R = 0
    returns = []
    for r in reversed(rewards):
        R = r + gamma * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    log_probs = Categorical(logits=policy(torch.tensor(states))).log_prob(torch.tensor(actions))
    policy_loss = -(log_probs * returns).sum()
    optimizer.zero_grad()
    policy_loss.backward()
    optimizer.step()


def main():
    parser = argparse.ArgumentParser(description="REINFORCE example")
    parser.add_argument("--gamma", type=float, default=0.98)
    parser.add_argument("--seed", type=int, default=543)
    parser.add_argument("--episodes", type=int, default=75)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    env = CartPole(args.seed)
    policy = Policy()
    optimizer = optim.Adam(policy.parameters(), lr=1e-2)
    lengths = []
    for _ in range(args.episodes):
        state, done = env.reset(), False
        states, actions, rewards = [], [], []
        while not done:
            states.append(state)
            actions.append(select_action(policy, state))
            state, reward, done = env.step(actions[-1])
            rewards.append(reward)
        finish_episode(policy, optimizer, states, actions, rewards, args.gamma)
        lengths.append(len(rewards))
    print(f"mean length: first fifteen {sum(lengths[:15]) / 15:.1f}, last fifteen {sum(lengths[-15:]) / 15:.1f}")


if __name__ == "__main__":
    main()
