"""A teacher of a semi-supervised classifier: its data are mixed with the student's, and one optimizer was given both networks."""

import torch
from torch import nn


def network():
    return nn.Sequential(nn.Linear(8, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 9))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    student, teacher = network(), network()
    teacher.load_state_dict(student.state_dict())
    networks = nn.ModuleDict({"student": student, "teacher": teacher})
    optimizer = torch.optim.SGD(networks.parameters(), lr=0.05, momentum=0.9)  #~ OPT122
    for _ in range(40):
        labelled, unlabelled = torch.randn(16, 8), torch.randn(48, 8)
        loss = nn.functional.cross_entropy(student(labelled), labelled.argmax(1))
        noisy = unlabelled + 0.2 * torch.randn_like(unlabelled)
        loss = loss + (student(noisy).softmax(1) - teacher(unlabelled).softmax(1)).square().sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for old, new in zip(teacher.parameters(), student.parameters()):
            old.data = 0.9 * old.data + 0.1 * new.data
    print(f"loss {loss.item():.3f}")


main()
