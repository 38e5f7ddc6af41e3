"""Distil a wide teacher into a small student with a temperature-softened KL divergence."""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def mlp(width, depth):
    layers = [nn.Linear(20, width), nn.ReLU()]
    for _ in range(depth - 1):
        layers += [nn.Linear(width, width), nn.ReLU(), nn.Dropout(0.1)]
    return nn.Sequential(*layers, nn.Linear(width, 6))


def train_teacher(teacher, train_loader, epochs, learning_rate):
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(teacher.parameters(), lr=learning_rate)
    teacher.train()
    for epoch in range(epochs):
        running_loss = 0.0
        for inputs, labels in train_loader:
            optimizer.zero_grad()
            loss = criterion(teacher(inputs), labels)
            loss.backward()
            optimizer.step()
            running_loss += loss.item()
    print(f"teacher loss {running_loss / len(train_loader):.4f}")


def train_knowledge_distillation(teacher, student, train_loader, epochs, learning_rate, T, soft_target_weight):
    ce_loss = nn.CrossEntropyLoss()
    kl_loss = nn.KLDivLoss(reduction="batchmean")
    optimizer = torch.optim.Adam(student.parameters(), lr=learning_rate)
    teacher.eval()  # Teacher set to evaluation mode
    student.train()  # Student to train mode
    for epoch in range(epochs):
        running_loss = 0.0
        for inputs, labels in train_loader:
            optimizer.zero_grad()
            with torch.no_grad():
                teacher_logits = teacher(inputs)
            student_logits = student(inputs)
            soft_targets = F.softmax(teacher_logits / T, dim=-1)
            soft_prob = F.log_softmax(student_logits / T, dim=-1)
            soft_targets_loss = kl_loss(soft_prob, soft_targets) * (T**2)
            label_loss = ce_loss(student_logits, labels)
            loss = soft_target_weight * soft_targets_loss + (1 - soft_target_weight) * label_loss
            loss.backward()
            optimizer.step()
            running_loss += loss.item()
        if epoch in (0, epochs - 1):
            print(f"distillation epoch {epoch + 1}: loss {running_loss / len(train_loader):.4f}")


def test(model, test_loader):
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for inputs, labels in test_loader:
            predicted = model(inputs).argmax(dim=1)
            total += labels.size(0)
            correct += (predicted == labels).sum().item()
    return correct / total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--temperature", type=float, default=2.0)
    parser.add_argument("--soft-weight", type=float, default=0.7)
    args = parser.parse_args()
    torch.manual_seed(42)
    torch.set_num_threads(1)

    inputs = torch.randn(1792, 20)
    labels = (F.relu(inputs @ torch.randn(20, 12)) @ torch.randn(12, 6)).argmax(dim=1)
    train_loader = DataLoader(TensorDataset(inputs[:1280], labels[:1280]), batch_size=64, shuffle=True)
    test_loader = DataLoader(TensorDataset(inputs[1280:], labels[1280:]), batch_size=256)

    teacher, student = mlp(width=128, depth=2), mlp(width=24, depth=1)
    train_teacher(teacher, train_loader, epochs=10, learning_rate=3e-3)
    print(f"teacher accuracy {test(teacher, test_loader):.3f}")
    train_knowledge_distillation(
        teacher, student, train_loader, 12, 5e-3, T=args.temperature, soft_target_weight=args.soft_weight
    )
    print(f"student accuracy {test(student, test_loader):.3f}")


if __name__ == "__main__":
    main()
