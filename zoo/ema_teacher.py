"""Semi-supervised training with a mean teacher whose weights are a moving average of the student's."""

import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(11)
torch.set_num_threads(1)


def two_moons(count):
    angle = math.pi * torch.rand(count)
    label = torch.randint(0, 2, (count,))
    x = torch.where(label == 0, angle.cos(), 1 - angle.cos())
    y = torch.where(label == 0, angle.sin(), 0.5 - angle.sin())
    points = torch.stack([x, y], dim=1) + 0.12 * torch.randn(count, 2)
    return (points - torch.tensor([0.5, 0.25])) / torch.tensor([0.87, 0.5]), label


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(2, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2)
        )

    def forward(self, x):
        return self.layers(x)


@torch.no_grad()
def update_teacher(student, teacher, decay):
    for teacher_param, student_param in zip(teacher.parameters(), student.parameters()):
        teacher_param.mul_(decay).add_(student_param, alpha=1 - decay)


def consistency_weight(step, ramp_steps):
    progress = min(1.0, step / ramp_steps)
    return 2.0 * math.exp(-5.0 * (1.0 - progress) ** 2)


def accuracy(model, x, y):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        result = (model(x).argmax(dim=1) == y).float().mean().item()
    model.train(was_training)
    return result


labelled_x, labelled_y = two_moons(32)
unlabelled_x, _ = two_moons(1024)
test_x, test_y = two_moons(512)

student = Net()
teacher = copy.deepcopy(student)
for param in teacher.parameters():
    param.requires_grad = False

optimizer = torch.optim.Adam(student.parameters(), lr=3e-3)
unlabelled_loader = DataLoader(TensorDataset(unlabelled_x), batch_size=64, shuffle=True)
epochs = 18
global_step = 0
for epoch in range(epochs):
    student.train()
    teacher.train()
    for (x_u,) in unlabelled_loader:
        logits = student(labelled_x + 0.05 * torch.randn_like(labelled_x))
        class_loss = F.cross_entropy(logits, labelled_y)
        student_prob = F.softmax(student(x_u + 0.1 * torch.randn_like(x_u)), dim=1)
        with torch.no_grad():
            teacher_prob = F.softmax(teacher(x_u + 0.1 * torch.randn_like(x_u)), dim=1)
        consistency = F.mse_loss(student_prob, teacher_prob)
        loss = class_loss + consistency_weight(global_step, 120) * consistency

        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        global_step += 1
        update_teacher(student, teacher, decay=min(1 - 1 / (global_step + 1), 0.99))
    if (epoch + 1) % 6 == 0:
        print(f"epoch {epoch + 1}: class loss {class_loss.item():.4f} consistency {consistency.item():.5f}")

print(f"student accuracy {accuracy(student, test_x, test_y):.3f}")
print(f"teacher accuracy {accuracy(teacher, test_x, test_y):.3f}")
