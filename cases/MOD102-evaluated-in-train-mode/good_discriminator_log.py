"""The discriminator's accuracy on the batch it has just learned from is logged with gradients off: a log of training, in its mode."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
maker = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
judge = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Dropout(0.2), nn.Linear(16, 1))
maker_opt = torch.optim.Adam(maker.parameters(), lr=0.001)
judge_opt = torch.optim.Adam(judge.parameters(), lr=0.001)
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(32, 1), torch.zeros(32, 1)
for step in range(60):
    real, fake = torch.randn(32, 2) + 1, maker(torch.randn(32, 4))
    judge_loss = bce(judge(real), ones * 0.9) + bce(judge(fake.detach()), zeros)
    judge_opt.zero_grad()
    judge_loss.backward()
    judge_opt.step()
    maker_loss = bce(judge(fake), ones)
    maker_opt.zero_grad()
    maker_loss.backward()
    maker_opt.step()
    if step % 10 == 0:
        with torch.no_grad():
            print(f"accuracy {((judge(real) > 0).float() == ones).float().mean().item():.2f}")
