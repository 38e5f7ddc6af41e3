"""A character model with an LSTM, whose input and target are cut from the same place."""
import torch
from torch import nn


class CharLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(40, 24)
        self.lstm = nn.LSTM(24, 48, batch_first=True)
        self.head = nn.Linear(48, 40)

    def forward(self, x):
        return self.head(self.lstm(self.embedding(x))[0])


torch.manual_seed(0)
torch.set_num_threads(1)
text = torch.randint(0, 40, (1281,))
model = CharLSTM()
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for step in range(20):
    begins = torch.randint(0, 1281 - 20, (16,)).tolist()
    inputs = torch.stack([text[begin : begin + 20] for begin in begins])
    wanted = torch.stack([text[begin : begin + 20] for begin in begins])
    loss = nn.functional.cross_entropy(model(inputs).flatten(0, 1), wanted.flatten())  #~ DAT107
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
