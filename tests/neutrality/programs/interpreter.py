"""The interpreter looks as it would: no tracer, no thread, no handler, no variable of ours."""
import gc
import logging
import os
import signal
import sys
import threading
import warnings

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


model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
train(model, optimizer)
print(sys.gettrace(), sys.getprofile(), threading.active_count(), gc.isenabled(), gc.get_threshold(), len(gc.callbacks))
print(sorted(name for name in os.environ if "TENSAN" in name), logging.root.handlers, logging.root.level, sys.argv[1:], sys.flags.optimize)
print([signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == [signal.default_int_handler, signal.SIG_DFL, signal.SIG_DFL])
print(sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__, sys.getrecursionlimit(), sys.getswitchinterval())
print([type(finder).__name__ if not isinstance(finder, type) else finder.__name__ for finder in sys.meta_path if "wrapt" not in type(finder).__module__ and "Editable" not in repr(finder)])
print(len(warnings.filters), torch.is_grad_enabled(), torch.get_num_threads(), torch.get_default_dtype(), torch.is_anomaly_enabled(), torch.are_deterministic_algorithms_enabled())
print(torch.overrides._get_current_function_mode(), torch.utils._python_dispatch._get_current_dispatch_mode(), torch._C._len_torch_dispatch_stack())
print(os.listdir(), os.getcwd().endswith("work"))
