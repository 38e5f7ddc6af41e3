"""A small network learns from the outputs that a large one gives for the batch at hand."""
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset


def network(width):
    return nn.Sequential(nn.Linear(10, width), nn.ReLU(), nn.Linear(width, 4))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    x = torch.randn(640, 10)
    loader = DataLoader(TensorDataset(x), batch_size=32, shuffle=True)
    teacher, student = network(64), network(8)
    teacher.eval()
    with torch.no_grad():
        print(f"largest output {max(teacher(x).max().item() for (x,) in loader):.2f}")
    optimizer = torch.optim.Adam(student.parameters(), lr=0.01)
    for epoch in range(3):
        for (x,) in loader:
            with torch.no_grad():
                wanted = teacher(x)
            loss = F.kl_div(F.log_softmax(student(x), 1), F.softmax(wanted, 1), reduction="batchmean")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {loss.item():.3f}")


main()
