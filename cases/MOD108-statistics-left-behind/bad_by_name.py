"""A mean teacher for hand gestures: the copy's weights are looked up by name, its batch norms stay as they were when it was made."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
signals = torch.randn(512, 4, 24) * 2 + 1
gestures = (signals[:, :2].mean((1, 2)) > signals[:, 2:].mean((1, 2))).long()


class Teacher:
    def __init__(self, student, momentum):
        self.model = copy.deepcopy(student).eval()
        self.momentum = momentum

    @torch.no_grad()
    def follow(self, student):
        weights = dict(student.named_parameters())
        for name, weight in self.model.named_parameters():  #~ MOD108
            weight.mul_(self.momentum).add_(weights[name], alpha=1 - self.momentum)


student = nn.Sequential(nn.Conv1d(4, 16, 5), nn.BatchNorm1d(16), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(16, 2))
teacher = Teacher(student, momentum=0.9)
optimizer = torch.optim.Adam(student.parameters(), lr=1e-2)
for epoch in range(3):
    for rows in torch.randperm(512).split(64):
        loss = nn.functional.cross_entropy(student(signals[rows]), gestures[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        teacher.follow(student)
    with torch.no_grad():
        right = (teacher.model(signals).argmax(1) == gestures).float().mean()
    print(f"epoch {epoch}: teacher right {right:.3f}")
