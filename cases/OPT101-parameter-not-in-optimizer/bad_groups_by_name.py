"""Groups are made by the ends of names, and two parameters of an encoder have other ends."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)


class Sounds(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.widen = nn.Linear(4, width)
        self.summary = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.moments = nn.Parameter(torch.randn(1, 9, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, 2, 32, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, 3)

    def forward(self, x):
        h = torch.cat([self.summary.expand(len(x), -1, -1), self.widen(x)], 1) + self.moments
        return self.head(self.encoder(h)[:, 0])


model = Sounds()
decayed = [p for name, p in model.named_parameters() if name.endswith("weight") and "norm" not in name]
plain = [p for name, p in model.named_parameters() if name.endswith("bias") or "norm" in name and name.endswith("weight")]
optimizer = torch.optim.AdamW([{"params": decayed}, {"params": plain, "weight_decay": 0.0}], lr=1e-3)  #~ OPT101
x = torch.randn(120, 8, 4)
y = x[:, 0].argmax(1).clamp(max=2)
for epoch in range(4):
    for rows in torch.randperm(120).split(24):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.3f}")
