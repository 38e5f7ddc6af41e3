"""A small network learns from the outputs of a large one, which were kept batch by batch while the loader shuffled."""
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


def network(width):
    return nn.Sequential(nn.Linear(10, width), nn.ReLU(), nn.Linear(width, 4))


def teach(teacher, loader):
    optimizer = torch.optim.Adam(teacher.parameters(), lr=0.01)
    for _ in range(2):
        for x, y in loader:
            loss = F.cross_entropy(teacher(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(640, 10)
    y = (x @ torch.randn(10, 4)).argmax(1)
    loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
    teacher, student = network(64), network(8)
    teach(teacher, loader)
    teacher.eval()
    with torch.no_grad():
        kept = [teacher(x) for x, _ in loader]
    optimizer = torch.optim.Adam(student.parameters(), lr=0.01)
    for epoch in range(3):
        for number, (x, _) in enumerate(loader):
            wanted = kept[number]  #~ DAT129
            loss = F.kl_div(F.log_softmax(student(x), 1), F.softmax(wanted, 1), reduction="batchmean")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.3f}")


main()
