"""A traceback that the program prints itself."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 12)
        self.norm = nn.BatchNorm1d(12)
        self.drop = nn.Dropout(0.3)
        self.last = nn.Linear(12, 3)

    def forward(self, x):
        return self.last(self.drop(torch.relu(self.norm(self.first(x)))))


def train(model, optimizer, steps=5):
    for _ in range(steps):
        x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


import traceback

model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
loss = model(torch.randn(4, 6)).sum()
loss.backward()
try:
    loss.backward()
except RuntimeError as error:
    print([frame.name for frame in traceback.extract_tb(error.__traceback__)])
try:
    model.load_state_dict({})
except RuntimeError as error:
    print([frame.name for frame in traceback.extract_tb(error.__traceback__)])

import logging
import sys
import threading

logging.basicConfig(stream=sys.stdout, format="%(message)s")
for step in range(3):  # looked at closely, and not
    try:
        model(torch.randn(4, 5))
    except RuntimeError:
        print(traceback.format_exc())
        logging.exception("a forward failed")
    train(model, optimizer, 12)


def closure():
    raise ValueError("in a closure")


try:
    try:
        optimizer.step(closure)
    except ValueError as error:
        raise KeyError("after it") from error
except KeyError:
    print(traceback.format_exc())

thread = threading.Thread(target=model, args=(torch.randn(4, 5),), name="forward")
thread.start()
thread.join()
print(threading.excepthook is threading.__excepthook__)
