"""Train a deep Q network with a replay buffer and a target network on a small grid world."""

import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward", "done"))

BATCH_SIZE = 32
GAMMA = 0.95
EPS_START, EPS_END, EPS_DECAY = 1.0, 0.05, 600
TARGET_UPDATE = 50
SIZE = 5


class GridWorld:
    """Walk from a random cell to the far corner; each move costs a little and the corner pays one."""

    moves = ((0, 1), (1, 0), (0, -1), (-1, 0))

    def reset(self):
        self.row, self.column, self.time = random.randrange(SIZE - 1), random.randrange(SIZE - 1), 0
        return self.observe()

    def observe(self):
        return torch.tensor([2 * self.row / (SIZE - 1) - 1, 2 * self.column / (SIZE - 1) - 1])

    def step(self, action):
        d_row, d_column = self.moves[action]
        self.row = min(max(self.row + d_row, 0), SIZE - 1)
        self.column = min(max(self.column + d_column, 0), SIZE - 1)
        self.time += 1
        terminated = self.row == SIZE - 1 and self.column == SIZE - 1
        return self.observe(), (1.0 if terminated else -0.02), terminated, self.time >= 40


class DQN(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Linear(2, 48)
        self.layer2 = nn.Linear(48, 48)
        self.layer3 = nn.Linear(48, 4)

    def forward(self, x):
        x = F.relu(self.layer1(x))
        x = F.relu(self.layer2(x))
        return self.layer3(x)


random.seed(0)
torch.manual_seed(0)
torch.set_num_threads(1)
env, memory = GridWorld(), deque(maxlen=2000)
policy_net, target_net = DQN(), DQN()
target_net.load_state_dict(policy_net.state_dict())
target_net.eval()
optimizer = optim.Adam(policy_net.parameters(), lr=2e-3)


def select_action(state, steps_done):
    epsilon = max(EPS_END, EPS_START - (EPS_START - EPS_END) * steps_done / EPS_DECAY)
    if random.random() < epsilon:
        return random.randrange(4)
    with torch.no_grad():
        return policy_net(state.unsqueeze(0)).argmax(1).item()


def optimize_model():
    if len(memory) < BATCH_SIZE:
        return
    batch = Transition(*zip(*random.sample(memory, BATCH_SIZE)))
    state_batch = torch.stack(batch.state)
    action_batch = torch.tensor(batch.action).unsqueeze(1)
    reward_batch = torch.tensor(batch.reward)
    done_batch = torch.tensor(batch.done, dtype=torch.float32)
    state_action_values = policy_net(state_batch).gather(1, action_batch).squeeze(1)
    with torch.no_grad():
        next_state_values = target_net(torch.stack(batch.next_state)).max(1).values
    expected = reward_batch + GAMMA * next_state_values * (1.0 - done_batch)
    loss = F.smooth_l1_loss(state_action_values, expected)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 10)
    optimizer.step()


steps_done, lengths = 0, []
while steps_done < 1100:
    state, finished = env.reset(), False
    while not finished:
        action = select_action(state, steps_done)
        next_state, reward, terminated, truncated = env.step(action)
        memory.append(Transition(state, action, next_state, reward, terminated))
        state = next_state
        optimize_model()
        steps_done += 1
        if steps_done % TARGET_UPDATE == 0:
            target_net.load_state_dict(policy_net.state_dict())
        finished = terminated or truncated
    lengths.append(env.time)
print(f"mean episode length: first ten {sum(lengths[:10]) / 10:.1f}, last ten {sum(lengths[-10:]) / 10:.1f}")
