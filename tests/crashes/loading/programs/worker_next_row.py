#~ crash: SHP203
#~ said: asks for number 50, at item 49
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Steps(Dataset):
    def __init__(self):
        self.values = [torch.randn(4) for _ in range(50)]

    def __len__(self):
        return len(self.values)  #~ maker

    def __getitem__(self, index):
        return self.values[index], self.values[index + 1]  #~ fails


torch.manual_seed(0)
model = nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for now, then in DataLoader(Steps(), batch_size=10, num_workers=1):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(now), then).backward()
    optimizer.step()
print("ok")
