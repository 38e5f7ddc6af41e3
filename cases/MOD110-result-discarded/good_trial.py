"""A loss and a sum are worked out only to see whether they fail, as code that probes shapes and tests do."""

import unittest

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def fits(x, y):
    try:
        nn.functional.cross_entropy(model(x), y)
    except RuntimeError:
        return False
    return True


class Test(unittest.TestCase):
    def test_classes(self):
        with self.assertRaises(IndexError):
            nn.functional.cross_entropy(model(torch.randn(4, 8)), torch.full((4,), 7))


for step in range(20):
    x = torch.randn(32, 8)
    y = x[:, :3].argmax(1)
    if step % 5 == 0:
        print(fits(x, y), fits(x[:, :4], y))
    try:
        x.masked_fill(x > 0, 0.0)
        wide = False
    except RuntimeError:
        wide = True
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
assert unittest.TextTestRunner(stream=open("/dev/null", "w")).run(unittest.defaultTestLoader.loadTestsFromTestCase(Test)).wasSuccessful()
