"""state_dict() goes straight into torch.save whenever the score improves, and the file is read back at the end."""
import os
import tempfile
import torch
from torch import nn


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    X = torch.randn(100, 6)
    Y = X.sum(1, keepdim=True).tanh()
    model = nn.Sequential(nn.Linear(6, 32), nn.GELU(), nn.Linear(32, 1))
    opt = torch.optim.AdamW(model.parameters(), lr=0.01)
    best = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "best.pt")
        for step in range(40):
            opt.zero_grad()
            nn.functional.mse_loss(model(X[:60]), Y[:60]).backward()
            opt.step()
            with torch.no_grad():
                score = nn.functional.mse_loss(model(X[60:]), Y[60:]).item()
            if score < best:
                best = score
                state = model.state_dict()
                torch.save({"model": state, "step": step}, path)
        saved = torch.load(path)
    model.load_state_dict(saved["model"])
    with torch.no_grad():
        again = nn.functional.mse_loss(model(X[60:]), Y[60:]).item()
    print(f"best {best:.4f}, restored {again:.4f} from step {saved['step']}")


main()
