"""Early stopping keeps the best state_dict, which is a view of the live weights and changes with them."""
import torch
from torch import nn
import torch.nn.functional as F


def evaluate(model, x, y):
    with torch.no_grad():
        return F.mse_loss(model(x), y).item()


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(60, 20)
    Y = X[:, :1] + 0.7 * torch.randn(60, 1)
    train, held_out = (X[:30], Y[:30]), (X[30:], Y[30:])
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
    best, best_state = float("inf"), None
    for step in range(80):
        optimizer.zero_grad()
        F.mse_loss(model(train[0]), train[1]).backward()
        optimizer.step()
        score = evaluate(model, *held_out)
        if score < best:
            best = score
            best_state = model.state_dict()  #~ CKP101
    model.load_state_dict(best_state)
    print(f"best {best:.3f}, restored {evaluate(model, *held_out):.3f}")


main()
