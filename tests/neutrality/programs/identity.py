"""Functions that programs compare by identity, or import from two places."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

import torch.nn.functional as F
from torch.nn.utils import clip_grad, clip_grad_norm_

layer = nn.TransformerEncoderLayer(8, 2, 16)
print(layer.activation is F.relu, layer.activation_relu_or_gelu)
print(clip_grad_norm_ is clip_grad.clip_grad_norm_, nn.utils.clip_grad_norm_ is clip_grad_norm_)
print(torch.save is torch.serialization.save, torch.load is torch.serialization.load)
print({F.relu: "relu", F.gelu: "gelu"}[layer.activation])
print(torch.optim.Adam.step is torch.optim.Adam.step, torch.optim.Adam.zero_grad is torch.optim.Optimizer.zero_grad)
print(nn.Linear.train is nn.Module.train, nn.Linear.eval is nn.Module.eval, nn.Linear.__call__ is nn.Module.__call__)
print(torch.Tensor.backward.__module__, torch.autograd.backward.__module__)
