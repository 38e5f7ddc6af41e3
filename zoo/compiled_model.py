"""Train a small perceptron wrapped in torch.compile, with a backend that needs no C++ compiler."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(16, 64)
        self.output = nn.Linear(64, 4)

    def forward(self, x):
        return self.output(torch.tanh(self.hidden(x)))


inputs = torch.randn(1280, 16)
labels = (inputs @ torch.randn(16, 4)).argmax(dim=1)
train_loader = DataLoader(TensorDataset(inputs[:1024], labels[:1024]), batch_size=64, shuffle=True)
test_inputs, test_labels = inputs[1024:], labels[1024:]

model = Perceptron()
compiled = torch.compile(model, backend="aot_eager")
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(15):
    compiled.train()
    total = 0.0
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = criterion(compiled(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    if epoch % 5 == 4:
        model.eval()
        with torch.no_grad():
            accuracy = (model(test_inputs).argmax(dim=1) == test_labels).float().mean().item()
        print(f"epoch {epoch + 1}: loss {total / len(train_loader):.4f} test accuracy {accuracy:.3f}")
