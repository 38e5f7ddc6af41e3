"""kl_div is told that its targets are logarithms, and gets probabilities."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)
student = nn.Linear(8, 5)
criterion = nn.KLDivLoss(reduction="batchmean", log_target=True)
opt = torch.optim.Adam(student.parameters(), lr=0.02)
mixing = torch.randn(8, 5)
for step in range(40):
    x = torch.randn(32, 8)
    soft = F.softmax(x @ mixing, dim=1)
    loss = criterion(F.log_softmax(student(x), dim=1), soft)  #~ LOS105
    opt.zero_grad()
    loss.backward()
    opt.step()
print(f"loss {loss.item():.3f}")
