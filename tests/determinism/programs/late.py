"""Asks for determinism after something has happened, as the argument says."""

import random
import sys

import numpy as np
import torch
from torch import nn

import tensan


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)


def build():
    return Net()


def python():
    order = list(range(10))
    random.shuffle(order)  # here: python
    tensan.deterministic(3)


def numpy():
    noise = np.random.randn(3)  # here: numpy
    tensan.deterministic(3)
    return noise


def generator():
    x = torch.randn(3)  # here: generator
    tensan.deterministic(3)
    return x


def model():
    net = build()  # here: model
    tensan.deterministic(3)
    return net


def above():
    net = nn.Linear(3, 1)  # here: above
    seed_all()
    return net


def seed_all():
    tensan.deterministic(3)


def early():
    """A right program: what is only defined above the call, or stands in a generator of its own, is no draw."""
    own, rows = random.Random(5), np.random.default_rng(5)
    values = own.random(), rows.random(), torch.rand(2, generator=torch.Generator().manual_seed(5))
    tensan.deterministic(3)
    return values, build(), torch.randn(2), np.random.rand(), random.random()


def drawn_by_a_library():
    """A right program: what libraries draw while they are imported is no affair of its seed."""
    exec("import random, numpy, torch\nrandom.random(), numpy.random.rand(), torch.rand(1)", {"__name__": "library"})
    tensan.deterministic(3)


def untouched():
    print(torch.are_deterministic_algorithms_enabled(), torch.backends.cudnn.deterministic)
    print({key for key in __import__("os").environ if key in ("CUBLAS_WORKSPACE_CONFIG", "PYTHONHASHSEED")})


globals()[sys.argv[1]]()
