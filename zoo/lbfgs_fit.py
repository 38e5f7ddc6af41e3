"""Fit a smooth curve with a small network by full-batch L-BFGS, whose step takes a closure."""

import torch
import torch.nn as nn


class CurveNet(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(1, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1)
        )

    def forward(self, t):
        return self.net(t)


def target_curve(t):
    return torch.sin(3.0 * t) + 0.3 * torch.cos(9.0 * t)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)

    t_train = torch.linspace(-1.5, 1.5, 160).unsqueeze(1)
    y_train = target_curve(t_train) + 0.02 * torch.randn_like(t_train)
    t_test = (3.0 * torch.rand(80, 1)) - 1.5
    y_test = target_curve(t_test)

    model = CurveNet()
    criterion = nn.MSELoss()
    optimizer = torch.optim.LBFGS(
        model.parameters(), lr=1.0, max_iter=5, history_size=20, line_search_fn="strong_wolfe"
    )

    def closure():
        optimizer.zero_grad()
        loss = criterion(model(t_train), y_train)
        loss.backward()
        return loss

    for step in range(60):
        loss = optimizer.step(closure)
        if step % 15 == 0 or step == 59:
            with torch.no_grad():
                test_loss = criterion(model(t_test), y_test)
            print(f"step {step:2d} train loss {loss.item():.6f} test loss {test_loss.item():.6f}")


if __name__ == "__main__":
    main()
