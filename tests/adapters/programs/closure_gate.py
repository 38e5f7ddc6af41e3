"""Steps whose closures compute the gradients, a broken one among them: of plain descent, and of L-BFGS, which calls it several times."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
batches = torch.randn(12, 16, 4)
batches[5, 2, 1] = float("nan")


def train(make):
    model = nn.Linear(4, 1)
    optimizer = make(model.parameters())
    for number, batch in enumerate(batches):

        def closure():
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(batch), batch.sum(1, keepdim=True))
            loss.backward()
            return loss

        before = model.weight.detach().clone()
        optimizer.step(closure)
        if torch.equal(before, model.weight):
            print(optimizer.__class__.__name__, "stood still at", number)
        assert any(parameter.grad is not None for parameter in model.parameters())
    print(optimizer.__class__.__name__, bool(torch.isfinite(model.weight).all()))


train(lambda parameters: torch.optim.SGD(parameters, lr=0.05, momentum=0.9))
train(lambda parameters: torch.optim.LBFGS(parameters, lr=0.1, max_iter=3))
