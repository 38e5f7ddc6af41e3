"""Measures what our hooks take on a step that is not looked at, in nanoseconds: `IDLE_STEP` of `adapters/torch/attention.py`."""

import statistics
import time
from contextlib import contextmanager

import torch
from torch import nn
from torch.optim import optimizer as module

import tensan
from tensan.adapters.torch.attention import IDLE_STEP
from tensan.adapters.torch.live import live

STEPS, TURNS = 100, 80


@contextmanager
def untouched():
    """Takes away what a step meets of ours: two wrappers, the global hooks and the recorder."""
    patched = [(torch.optim.Optimizer, "zero_grad"), (torch.autograd, "backward")]
    wrappers = [getattr(owner, name) for owner, name in patched]
    hooks = [(held, dict(held)) for held in (module._global_optimizer_pre_hooks, module._global_optimizer_post_hooks)]
    recorder, live.recorder = live.recorder, None
    for (owner, name), wrapper in zip(patched, wrappers, strict=True):
        setattr(owner, name, wrapper.__wrapped__)
    for held, _ in hooks:
        held.clear()
    yield
    for (owner, name), wrapper in zip(patched, wrappers, strict=True):
        setattr(owner, name, wrapper)
    for held, kept in hooks:
        held.update(kept)
    live.recorder = recorder


def main():
    torch.set_num_threads(1)
    with tensan.watch(overhead=0.0, quiet=True):
        model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        x, y = torch.randn(64, 32), torch.randint(0, 10, (64,))

        def block():
            began = time.thread_time_ns()
            for _ in range(STEPS):
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(x), y).backward()
                optimizer.step()
            return (time.thread_time_ns() - began) / STEPS

        block()
        recorder = live.recorder
        assert recorder is not None
        assert not recorder.attention.on
        times = {True: [], False: []}
        for _ in range(TURNS):
            times[True].append(block())
            with untouched():
                times[False].append(block())
    # Neighbours in time are compared, since other processes slow both of them.
    difference = statistics.median(watched - bare for watched, bare in zip(times[True], times[False], strict=True))
    print(f"hooks on an idle step: {difference:.0f} ns of {statistics.median(times[True]):.0f} (IDLE_STEP is {IDLE_STEP})")


if __name__ == "__main__":
    main()
