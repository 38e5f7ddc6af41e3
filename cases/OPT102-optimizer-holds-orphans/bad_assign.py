"""load_state_dict(assign=True) puts new parameters into the model behind the optimizer's back."""
import torch
from torch import nn


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Linear(8, 3), nn.Linear(3, 8)

    def forward(self, x):
        return self.up(self.down(x).tanh())


def resume(state):
    model = Autoencoder()
    opt = torch.optim.AdamW(model.parameters(), lr=0.01)  #~ OPT102
    model.load_state_dict(state, assign=True)  #~? OPT102
    return model, opt


torch.manual_seed(0)
torch.set_num_threads(1)
checkpoint = {k: v.clone() for k, v in Autoencoder().state_dict().items()}
model, opt = resume(checkpoint)
mix = 0.5 * torch.randn(3, 8)
for step in range(70):
    x = torch.randn(48, 3) @ mix
    loss = nn.functional.mse_loss(model(x), x)
    for p in model.parameters():
        p.grad = None
    loss.backward()
    opt.step()
print(f"loss {loss.item():.4f}")
