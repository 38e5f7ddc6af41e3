#~ crash: SHP201
#~ edit: out_features
import torch
from torch import nn
from torch.nn import functional as F

teacher = nn.Linear(20, 100)  #~ maker
student = nn.Linear(20, 10)  #~ maker
x = torch.randn(16, 20)
with torch.no_grad():
    soft = F.softmax(teacher(x) / 2, dim=1)
loss = F.kl_div(F.log_softmax(student(x) / 2, dim=1), soft, reduction="batchmean")  #~ fails
loss.backward()
