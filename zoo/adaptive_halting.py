"""Sequences think as many steps as they need: in each step the rows that go on get an addition, and those that halt stay."""

import torch
import torch.nn as nn


class Thinker(nn.Module):
    def __init__(self, size, width=24, most=6):
        super().__init__()
        self.most = most
        self.start = nn.Linear(size, width)
        self.cell = nn.GRUCell(size, width)
        self.halt = nn.Linear(width, 1)
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        state = torch.tanh(self.start(x))
        output = torch.zeros(len(x), state.shape[1])
        left = torch.ones(len(x), 1)
        going = torch.arange(len(x))
        ponder = x.new_zeros(())
        for step in range(self.most):
            state = self.cell(x[going], state)
            probability = torch.sigmoid(self.halt(state))
            last = step == self.most - 1
            weight = left if last else left * probability
            output[going] += weight * state
            ponder = ponder + (step + 1) * weight.sum() / len(x)
            goes_on = ((left - weight) > 0.01).squeeze(1)
            left = (left - weight)[goes_on]
            going, state = going[goes_on], state[goes_on]
            if not len(going):
                break
        return self.head(output).squeeze(1), ponder


torch.manual_seed(0)
torch.set_num_threads(1)
model = Thinker(8)
optimizer = torch.optim.RMSprop(model.parameters(), lr=2e-3)
history = []
for step in range(200):
    bits = torch.randint(0, 2, (48, 8)).float()
    used = torch.rand(48, 8) < 0.5
    x = torch.where(used, 2 * bits - 1, torch.zeros(()))
    even = ((bits[:, :3] * used[:, :3]).sum(1) % 2 == 0).float()
    logit, ponder = model(x)
    loss = nn.functional.binary_cross_entropy_with_logits(logit, even) + 0.005 * ponder
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    history.append(loss.item())
    if (step + 1) % 50 == 0:
        print(f"step {step + 1} loss {sum(history[-50:]) / 50:.3f} steps of thought {ponder.item():.2f}")
