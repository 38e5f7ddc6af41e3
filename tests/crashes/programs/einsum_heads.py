#~ crash: SHP201
import torch

q = torch.randn(2, 4, 10, 16)  #~ maker
k = torch.randn(2, 4, 12, 32)  #~ maker
scores = torch.einsum("bhqd,bhkd->bhqk", q, k)  #~ fails
