"""A model computes its loss itself and shifts the labels, which its caller has shifted already."""
import torch
from torch import nn


class CharLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(40, 24)
        self.lstm = nn.LSTM(24, 48, batch_first=True)
        self.head = nn.Linear(48, 40)
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, x, labels):
        logits = self.head(self.lstm(self.embedding(x))[0])
        shifted_logits, shifted_labels = logits[:, :-1, :].contiguous(), labels[:, 1:].contiguous()
        return logits, self.criterion(shifted_logits.view(-1, 40), shifted_labels.view(-1))  #~ DAT108


torch.manual_seed(0)
torch.set_num_threads(1)
text = torch.randint(0, 40, (801,))
model = CharLSTM()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(20):
    begins = torch.randint(0, 801 - 21, (16,)).tolist()
    chunk = torch.stack([text[begin : begin + 21] for begin in begins])
    logits, loss = model(chunk[:, :-1], labels=chunk[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.4f}")
