"""Deep Q-learning on a cart that is to be brought to rest: NumPy states in a ring of arrays, a target network that follows softly."""

import copy

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Cart:
    """Pushes left or right; position and speed; each moment costs its distance from the middle."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def reset(self):
        self.state = self.random.uniform(-1, 1, size=2).astype(np.float32)
        self.moments = 0
        return self.state.copy()

    def step(self, action):
        self.state[1] += 0.1 * (action - 1) - 0.02 * self.state[1]
        self.state[0] += 0.1 * self.state[1]
        self.moments += 1
        out = abs(float(self.state[0])) > 1.5
        reward = 1.0 - abs(float(self.state[0])) - (5.0 if out else 0.0)
        return self.state.copy(), reward, out, self.moments >= 60


class ReplayBuffer:
    def __init__(self, capacity):
        self.states = np.zeros((capacity, 2), dtype=np.float32)
        self.next_states = np.zeros((capacity, 2), dtype=np.float32)
        self.actions = np.zeros(capacity, dtype=np.int64)
        self.rewards = np.zeros(capacity, dtype=np.float32)
        self.ended = np.zeros(capacity, dtype=np.float32)
        self.capacity, self.at, self.size = capacity, 0, 0

    def add(self, state, action, reward, next_state, ended):
        i = self.at
        self.states[i], self.next_states[i] = state, next_state
        self.actions[i], self.rewards[i], self.ended[i] = action, reward, ended
        self.at = (self.at + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, count, random):
        rows = random.integers(0, self.size, size=count)
        fields = (self.states, self.actions, self.rewards, self.next_states, self.ended)
        return [torch.from_numpy(field[rows]) for field in fields]


def network():
    return nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 3))


@torch.no_grad()
def follow(target, source, tau=0.02):
    for slow, fast in zip(target.parameters(), source.parameters()):
        slow.lerp_(fast, tau)


torch.manual_seed(0)
torch.set_num_threads(1)
random = np.random.default_rng(0)
cart, memory = Cart(1), ReplayBuffer(3000)
q = network()
q_target = copy.deepcopy(q).requires_grad_(False)
optimizer = torch.optim.Adam(q.parameters(), lr=2e-3)
returns, total, state = [], 0.0, cart.reset()
for moment in range(1800):
    if random.random() < max(0.05, 1 - moment / 900):
        action = int(random.integers(3))
    else:
        with torch.no_grad():
            action = int(q(torch.from_numpy(state)).argmax())
    next_state, reward, out, late = cart.step(action)
    memory.add(state, action, reward, next_state, float(out))
    state, total = next_state, total + reward
    if out or late:
        returns.append(total)
        state, total = cart.reset(), 0.0
    if memory.size < 100:
        continue
    states, actions, rewards, next_states, ended = memory.sample(64, random)
    with torch.no_grad():
        best = q(next_states).argmax(1, keepdim=True)
        wanted = rewards + 0.97 * (1 - ended) * q_target(next_states).gather(1, best).squeeze(1)
    chosen = q(states).gather(1, actions[:, None]).squeeze(1)
    loss = F.smooth_l1_loss(chosen, wanted)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(q.parameters(), 10.0)
    optimizer.step()
    follow(q_target, q)
print(f"return of the first ten rides {np.mean(returns[:10]):.1f}, of the last ten {np.mean(returns[-10:]):.1f}")
