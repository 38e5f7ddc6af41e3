"""A prenet whose dropout is on at all times, as in Tacotron 2, and says so."""
import torch
from torch import nn
import torch.nn.functional as F


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.prenet, self.rnn, self.out = nn.Linear(5, 16), nn.GRU(16, 16, batch_first=True), nn.Linear(16, 5)

    def forward(self, frames):
        x = F.dropout(F.relu(self.prenet(frames)), p=0.5, training=True)
        return self.out(self.rnn(x)[0])


torch.manual_seed(0)
torch.set_num_threads(1)
frames = torch.sin(torch.arange(60.0)[:, None] / torch.arange(1.0, 6.0)).expand(16, 60, 5) + 0.1 * torch.randn(16, 60, 5)
model = Decoder()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(12):
    model.train()
    loss = F.mse_loss(model(frames[:12, :-1]), frames[:12, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    model.eval()
    with torch.no_grad():
        held_out = F.mse_loss(model(frames[12:, :-1]), frames[12:, 1:]).item()
print(f"held out {held_out:.3f}")
