#~ crash: SHP201
#~ edit: input_size=12
import torch
from torch import nn

ALPHABET = "abcdefghijkl"


class CharModel(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.gru = nn.GRU(input_size=10, hidden_size=hidden, batch_first=True)  #~ maker
        self.head = nn.Linear(hidden, len(ALPHABET))

    def forward(self, x):
        out, _ = self.gru(x)  #~ fails
        return self.head(out)


torch.manual_seed(0)
model = CharModel()
optimizer = torch.optim.Adam(model.parameters())
for step in range(3):
    ids = torch.randint(0, len(ALPHABET), (4, 20))
    one_hot = nn.functional.one_hot(ids, len(ALPHABET)).float()  #~ maker
    logits = model(one_hot[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("trained")
