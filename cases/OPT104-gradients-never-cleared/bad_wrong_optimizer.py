"""Two optimizers; a slip clears the decoder's gradients twice and the encoder's never."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
encoder = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 2))
decoder = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 8))
opt_encoder = torch.optim.SGD(encoder.parameters(), lr=0.1, momentum=0.9)
opt_decoder = torch.optim.SGD(decoder.parameters(), lr=0.1, momentum=0.9)
mixing = torch.randn(2, 8)
for step in range(80):
    x = torch.tanh(torch.randn(32, 2) @ mixing)
    opt_decoder.zero_grad()
    opt_decoder.zero_grad()
    loss = (decoder(encoder(x)) - x).pow(2).mean()
    loss.backward()  #~ OPT104
    opt_encoder.step()  #~? OPT104
    opt_decoder.step()
print(f"reconstruction error {loss.item():.4f}")
