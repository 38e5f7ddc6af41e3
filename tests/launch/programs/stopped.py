"""Trains until it is stopped at one place, where python runs a part of the program that torch or a loader has called."""

import atexit
import os
import signal
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

PLACE, HOW, TIMES = sys.argv[1], sys.argv[2], int(sys.argv[3])
passed = 0


def pass_by(place):
    global passed
    if place != PLACE and PLACE != "everywhere":
        return
    passed += 1
    if passed > TIMES or (PLACE != "everywhere" and passed != TIMES):
        return
    if HOW == "exit":
        sys.exit(3)
    if HOW == "raise":
        raise ValueError(f"stopped: {place}")
    if HOW == "fork":
        child = os.fork()
        if child == 0:
            os._exit(5)
        print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        return
    os.kill(os.getpid(), getattr(signal, HOW))
    if HOW != "SIGUSR1":
        time.sleep(30)


class Rows(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        pass_by("item")
        return torch.full((4,), index / 32), torch.tensor([float(index % 2)])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 8)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        pass_by("forward")
        return self.head(self.drop(torch.relu(self.hidden(x))))

    def get_extra_state(self):
        pass_by("state")
        return 1

    def set_extra_state(self, state):
        pass


def rate(epoch):
    pass_by("schedule")
    return 0.9**epoch


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Net()
    atexit.register(lambda: print("at exit", model.head.weight.sum().item(), flush=True))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    loader = DataLoader(Rows(), batch_size=8, shuffle=True)
    model.hidden.register_forward_hook(lambda *_: pass_by("hook"))
    model.hidden.weight.register_hook(lambda _gradient: pass_by("backward"))
    optimizer.register_step_post_hook(lambda *_: pass_by("after the step"))
    try:
        for epoch in range(10):
            for x, y in loader:

                def closure(x=x, y=y):
                    pass_by("closure")
                    optimizer.zero_grad()
                    loss = nn.functional.mse_loss(model(x), y.squeeze(1))
                    loss.backward()
                    return loss

                print(epoch, optimizer.step(closure).item(), flush=True)
            schedule.step()
            model.state_dict()
    finally:
        print("finally", sum(p.sum().item() for p in model.parameters()), torch.rand(1).item(), flush=True)
        torch.save(list(model.parameters()), "last.pt")


if __name__ == "__main__":
    main()
