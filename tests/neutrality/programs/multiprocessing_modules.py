"""Modules sent to other processes, forked and spawned, and trained there."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 12)
        self.norm = nn.BatchNorm1d(12)
        self.drop = nn.Dropout(0.3)
        self.last = nn.Linear(12, 3)

    def forward(self, x):
        return self.last(self.drop(torch.relu(self.norm(self.first(x)))))


def train(model, optimizer, steps=5):
    for _ in range(steps):
        x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


def work(model, queue):
    torch.manual_seed(1)
    torch.set_num_threads(1)
    loss = train(model, torch.optim.SGD(model.parameters(), lr=0.1))
    queue.put((loss.item(), sum(p.sum().item() for p in model.parameters())))


if __name__ == "__main__":
    import multiprocessing

    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        model = Net()
        train(model, torch.optim.Adam(model.parameters()))
        process = context.Process(target=work, args=(model, queue))
        process.start()
        print(method, queue.get())
        process.join()
        print(process.exitcode)
