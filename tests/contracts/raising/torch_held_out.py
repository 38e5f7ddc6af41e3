"""Exceptions of PyTorch that were written after the laws had been mended for the second time and committed."""

import torch
from harness import means
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)


@means("ShapeMismatchError")
def recurrence_of_another_state():
    nn.GRUCell(3, 4)(torch.zeros(2, 3), torch.zeros(2, 5))


@means("ShapeMismatchError")
def dot_of_unlike():
    torch.dot(torch.zeros(2), torch.zeros(3))


@means("ShapeMismatchError")
def batch_norm_of_other_channels():
    nn.BatchNorm2d(3)(torch.zeros(2, 4, 5, 5))


@means("ShapeMismatchError")
def heads_that_do_not_divide():
    nn.MultiheadAttention(5, 2)


@means("ShapeMismatchError")
def stacked_columns_of_unlike():
    torch.hstack([torch.zeros(2, 2), torch.zeros(3, 2)])


@means("ShapeMismatchError")
def boolean_mask_of_another_shape():
    torch.zeros(3)[torch.ones(4, dtype=torch.bool)]


@means("DataContractError")
def selection_past_the_end():
    torch.index_select(torch.zeros(3), 0, torch.tensor([9]))


@means("DataContractError")
def average_of_integers():
    torch.ones(3, dtype=torch.long).mean()


@means("DataContractError", "ShapeMismatchError")
def weights_for_other_classes():
    F.cross_entropy(torch.zeros(2, 3), torch.tensor([0, 1]), weight=torch.ones(4))


@means("GradientFlowError")
def inference_tensor_saved():
    with torch.inference_mode():
        x = torch.ones(2)
    (x * torch.ones(2, requires_grad=True)).sum().backward()


@means("NumericError")
def scale_of_zero():
    torch.distributions.Normal(0.0, -1.0, validate_args=True)


@means("TracingError", "UnsupportedControlFlow")
def export_of_an_item():
    class M(nn.Module):
        def forward(self, x):
            return torch.zeros(int(x.item()))

    torch.export.export(M(), (torch.tensor(2.0),))


@means("DistributedError")
def rank_without_group():
    torch.distributed.get_rank()
