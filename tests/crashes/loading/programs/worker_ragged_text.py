#~ crash: SHP201
#~ said: item 1 gives i64[3]
#~ edit: pad_sequence
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset


class Lines(Dataset):
    def __init__(self):
        self.lines = [torch.arange(1, 3 + index % 5) for index in range(40)]

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, index):
        return self.lines[index], index % 2  #~ fails


torch.manual_seed(0)
table, head = nn.Embedding(20, 8), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*table.parameters(), *head.parameters()])
for ids, labels in DataLoader(Subset(Lines(), range(30)), batch_size=6, num_workers=1):
    optimizer.zero_grad()
    nn.functional.cross_entropy(head(table(ids).mean(1)), labels).backward()
    optimizer.step()
print("ok")
