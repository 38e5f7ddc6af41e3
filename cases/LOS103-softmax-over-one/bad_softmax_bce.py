"""nn.Softmax after a single output, with BCELoss."""
import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 12, batch_first=True)
        self.head = nn.Linear(12, 1)
        self.activation = nn.Softmax(dim=1)

    def forward(self, x):
        states, _ = self.lstm(x)
        return self.activation(self.head(states[:, -1]))  #~ LOS103


torch.manual_seed(0)
torch.set_num_threads(1)
signal = torch.randn(200, 6, 3)
alarm = (signal[:, :, 0].sum(1) > 0).float()
net, loss_fn = Detector(), nn.BCELoss()
opt = torch.optim.RMSprop(net.parameters(), lr=0.01)
for epoch in range(4):
    for idx in torch.randperm(200).split(25):
        loss = loss_fn(net(signal[idx]).squeeze(1), alarm[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"loss {loss.item():.3f}")
