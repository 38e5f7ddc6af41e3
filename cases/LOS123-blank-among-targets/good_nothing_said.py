"""Some recordings hold no word: their target is one blank, or nothing at all."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Linear(5, 4)
criterion = nn.CTCLoss(zero_infinity=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(12):
    words = [[1, 2], [0], [3], [], [2, 3, 1], [0]]
    targets, lengths = torch.tensor([word for each in words for word in each]), torch.tensor([len(each) for each in words])
    loss = criterion(model(torch.randn(9, 6, 5)).log_softmax(2), targets, torch.full((6,), 9), lengths)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.3f}")
