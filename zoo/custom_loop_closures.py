"""Train three small models by three hand-made loops: step with a closure, gradients set to None, and a bare update."""

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(4)
torch.set_num_threads(1)

inputs = torch.randn(768, 6)
targets = torch.stack([inputs[:, 0] * inputs[:, 1], inputs[:, 2].abs() - 0.8], dim=1)
train_inputs, test_inputs = inputs[:640], inputs[640:]
train_targets, test_targets = targets[:640], targets[640:]


def make_model():
    return nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))


def batches(epochs, size=64):
    for _ in range(epochs):
        for index in torch.randperm(len(train_inputs)).split(size):
            yield train_inputs[index], train_targets[index]


def evaluate(model):
    with torch.no_grad():
        return F.mse_loss(model(test_inputs), test_targets).item()


def train_with_closure(model, optimizer):
    """Every optimizer takes a closure, also those that call it only once."""
    for x, y in batches(epochs=12):

        def closure():
            optimizer.zero_grad()
            loss = F.mse_loss(model(x), y)
            loss.backward()
            return loss

        optimizer.step(closure)


def train_with_none_gradients(model, optimizer):
    """Clear gradients by hand, as older code does."""
    for x, y in batches(epochs=12):
        for parameter in model.parameters():
            parameter.grad = None
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()


def train_by_hand(model, rate=0.05, momentum=0.9):
    """Momentum descent without any optimizer object."""
    parameters = list(model.parameters())
    velocity = [torch.zeros_like(parameter) for parameter in parameters]
    for x, y in batches(epochs=12):
        loss = F.mse_loss(model(x), y)
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for parameter, speed, gradient in zip(parameters, velocity, gradients):
                speed.mul_(momentum).add_(gradient)
                parameter.sub_(rate * speed)


model = make_model()
before = evaluate(model)
train_with_closure(model, torch.optim.Adam(model.parameters(), lr=5e-3))
print(f"adam with closure:      {before:.4f} -> {evaluate(model):.4f}")

model = make_model()
before = evaluate(model)
train_with_closure(model, torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9))
print(f"sgd with closure:       {before:.4f} -> {evaluate(model):.4f}")

model = make_model()
before = evaluate(model)
train_with_none_gradients(model, torch.optim.RMSprop(model.parameters(), lr=2e-3))
print(f"rmsprop, grad to None:  {before:.4f} -> {evaluate(model):.4f}")

model = make_model()
before = evaluate(model)
train_by_hand(model)
print(f"momentum by hand:       {before:.4f} -> {evaluate(model):.4f}")
