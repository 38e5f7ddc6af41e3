#~ crash: SHP201
#~ edit: in_features=16
import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self, latent=16):
        super().__init__()
        self.encode = nn.Linear(784, 2 * latent)
        self.decode = nn.Sequential(
            nn.Linear(2 * latent, 128),  #~ maker
            nn.ReLU(),
            nn.Linear(128, 784),
        )

    def forward(self, x):
        mean, log_var = self.encode(x).chunk(2, dim=1)
        z = mean + torch.randn_like(mean) * (0.5 * log_var).exp()
        return self.decode(z)  #~ fails


vae = VAE()
optimizer = torch.optim.Adam(vae.parameters())
images = torch.rand(32, 784)
loss = nn.functional.mse_loss(vae(images), images)
loss.backward()
optimizer.step()
