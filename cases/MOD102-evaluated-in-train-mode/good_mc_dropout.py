"""Monte Carlo dropout: the model is put in eval mode, and its dropout layers alone back in train mode, on purpose."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
X = torch.rand(200, 1) * 4 - 2
Y = X.sin() + 0.05 * torch.randn(200, 1)
net = nn.Sequential(nn.Linear(1, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(60):
    idx = torch.randint(0, 200, (50,))
    loss = nn.functional.mse_loss(net(X[idx]), Y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()


def predict(x, draws=20):
    net.eval()
    for m in net.modules():
        if isinstance(m, nn.Dropout):
            m.train()
    with torch.no_grad():
        samples = torch.stack([net(x) for _ in range(draws)])
    return samples.mean(0), samples.std(0)


mean, deviation = predict(torch.tensor([[0.0], [6.0]]))
print(f"std inside {deviation[0].item():.3f}, outside {deviation[1].item():.3f}")
