#~ crash: CKP201
import torch
from torch import nn


def build(width):
    return nn.Sequential(nn.Linear(10, width), nn.ReLU(), nn.Linear(width, 2))  #~ maker


teacher = build(64)
student = build(32)
student.load_state_dict(teacher.state_dict())  #~ fails
