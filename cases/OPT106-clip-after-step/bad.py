"""A recurrent regressor with heavy-tailed inputs clips its gradients only after the step has used them."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(2, 24, batch_first=True)
        self.out = nn.Linear(24, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(320, 10, 2)
    X[::29] *= 20
    Y = X[:, :, 0].sum(1, keepdim=True)
    loader = DataLoader(TensorDataset(X, Y), batch_size=32, shuffle=True)
    model = Recurrent()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(4):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
            nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)  #~ OPT106
    with torch.no_grad():
        print(f"median error {(model(X) - Y).abs().median().item():.3f}")


main()
