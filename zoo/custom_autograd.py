"""Train a network with binary hidden units through a straight-through estimator and a hand-written activation."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(8)
torch.set_num_threads(1)


class BinarizeSTE(torch.autograd.Function):
    """Sign in the forward pass; in the backward pass the gradient goes through where the input is in [-1, 1]."""

    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return torch.where(input >= 0, 1.0, -1.0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input.abs() <= 1).to(grad_output.dtype)


class Swish(torch.autograd.Function):
    """x * sigmoid(x) that keeps only its input for the backward pass."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        gate = torch.sigmoid(x)
        return grad_output * (gate + x * gate * (1 - gate))


class BinaryCodeClassifier(nn.Module):
    def __init__(self, in_features, code_bits, classes):
        super().__init__()
        self.fc1 = nn.Linear(in_features, 64)
        self.fc2 = nn.Linear(64, code_bits)
        self.norm = nn.BatchNorm1d(code_bits)
        self.fc3 = nn.Linear(code_bits, classes)

    def code(self, x):
        return BinarizeSTE.apply(self.norm(self.fc2(Swish.apply(self.fc1(x)))))

    def forward(self, x):
        return self.fc3(self.code(x))


point = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
assert torch.autograd.gradcheck(Swish.apply, (point,))

angles = 2 * math.pi * torch.rand(1536)
rings = torch.randint(0, 3, (1536,))
xy = (1.0 + rings)[:, None] * torch.stack([angles.cos(), angles.sin()], dim=1) + 0.15 * torch.randn(1536, 2)
xy = (xy - xy[:1280].mean(dim=0)) / xy[:1280].std(dim=0)
train_loader = DataLoader(TensorDataset(xy[:1280], rings[:1280]), batch_size=64, shuffle=True)
test_xy, test_rings = xy[1280:], rings[1280:]

model = BinaryCodeClassifier(in_features=2, code_bits=24, classes=3)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
epochs = 15
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
for epoch in range(epochs):
    model.train()
    losses = []
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    scheduler.step()
    if epoch % 5 == 4:
        model.eval()
        with torch.no_grad():
            accuracy = (model(test_xy).argmax(1) == test_rings).float().mean().item()
        print(f"epoch {epoch + 1} loss {sum(losses) / len(losses):.4f} test accuracy {accuracy:.3f}")
