"""Train a small DCGAN on images of soft discs, with one optimizer for each of the two networks."""

import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(999)
torch.set_num_threads(1)

nz, ngf, ndf = 16, 8, 8
batch_size, num_epochs = 32, 8
lr, beta1 = 0.001, 0.5


def make_discs(count):
    centres = 5 + 6 * torch.rand(count, 2, 1, 1)
    radius = 2 + 2 * torch.rand(count, 1, 1)
    rows = torch.arange(16.0).view(1, 16, 1)
    columns = torch.arange(16.0).view(1, 1, 16)
    distance = ((rows - centres[:, 0]) ** 2 + (columns - centres[:, 1]) ** 2).sqrt()
    return torch.tanh(radius - distance).unsqueeze(1)


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif classname.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


netG = nn.Sequential(
    nn.ConvTranspose2d(nz, ngf * 2, 4, 1, 0, bias=False), nn.BatchNorm2d(ngf * 2), nn.ReLU(True),
    nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False), nn.BatchNorm2d(ngf), nn.ReLU(True),
    nn.ConvTranspose2d(ngf, 1, 4, 2, 1, bias=False), nn.Tanh(),
)  # fmt: skip
netD = nn.Sequential(
    nn.Conv2d(1, ndf, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(ndf, ndf * 2, 4, 2, 1, bias=False), nn.BatchNorm2d(ndf * 2), nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(ndf * 2, 1, 4, 1, 0, bias=False), nn.Sigmoid(),
)  # fmt: skip
netG.apply(weights_init)
netD.apply(weights_init)

images = make_discs(512)
dataloader = DataLoader(TensorDataset(images), batch_size=batch_size, shuffle=True)
criterion = nn.BCELoss()
fixed_noise = torch.randn(64, nz, 1, 1)
real_label, fake_label = 1.0, 0.0
optimizerD = optim.Adam(netD.parameters(), lr=lr, betas=(beta1, 0.999))
optimizerG = optim.Adam(netG.parameters(), lr=lr, betas=(beta1, 0.999))


def image_gap():
    """How far the mean image of the generator is from the mean image of the data."""
    netG.eval()
    with torch.no_grad():
        fake = netG(fixed_noise)
    netG.train()
    return (fake.mean(0) - images.mean(0)).abs().mean().item()


print(f"gap before training {image_gap():.4f}")
for epoch in range(num_epochs):
    for (real,) in dataloader:
        # (1) Update D network: maximize log(D(x)) + log(1 - D(G(z)))
        netD.zero_grad()
        b_size = real.size(0)
        label = torch.full((b_size,), real_label)
        output = netD(real).view(-1)
        errD_real = criterion(output, label)
        errD_real.backward()
        noise = torch.randn(b_size, nz, 1, 1)
        fake = netG(noise)
        label.fill_(fake_label)
        output = netD(fake.detach()).view(-1)
        errD_fake = criterion(output, label)
        errD_fake.backward()
        errD = errD_real + errD_fake
        optimizerD.step()

        # (2) Update G network: maximize log(D(G(z)))
        netG.zero_grad()
        label.fill_(real_label)
        output = netD(fake).view(-1)
        errG = criterion(output, label)
        errG.backward()
        optimizerG.step()
    print(f"[{epoch + 1}/{num_epochs}] Loss_D: {errD.item():.4f} Loss_G: {errG.item():.4f} gap {image_gap():.4f}")
