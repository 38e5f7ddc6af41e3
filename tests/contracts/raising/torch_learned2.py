"""Exceptions of PyTorch of a second round that was held out: 48 of 57 were right when it was first scored."""

import torch
from harness import means
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)


@means("ShapeMismatchError")
def bilinear_of_another_width():
    nn.Bilinear(2, 3, 4)(torch.zeros(5, 2), torch.zeros(5, 4))


@means("ShapeMismatchError")
def outer_product_of_matrices():
    torch.outer(torch.zeros(2, 2), torch.zeros(2))


@means("ShapeMismatchError")
def copy_into_another_shape():
    torch.zeros(2).copy_(torch.zeros(3))


@means("ShapeMismatchError")
def pooling_of_a_vector():
    nn.MaxPool2d(2)(torch.zeros(4))


@means("ShapeMismatchError")
def assignment_of_another_shape():
    torch.zeros(4)[:2] = torch.zeros(3)


@means("ShapeMismatchError")
def transposed_convolution_of_other_channels():
    nn.ConvTranspose1d(2, 3, 3)(torch.zeros(1, 4, 5))


@means("ShapeMismatchError")
def groups_that_do_not_divide():
    nn.GroupNorm(2, 4)(torch.zeros(1, 6, 3))


@means("ShapeMismatchError")
def likelihood_of_another_batch():
    F.nll_loss(torch.zeros(4, 3), torch.zeros(3, dtype=torch.long))


@means("ShapeMismatchError")
def fold_of_other_blocks():
    F.fold(torch.zeros(1, 4, 3), (4, 4), 2)


@means("DataContractError")
def embedding_of_a_negative():
    nn.Embedding(4, 2)(torch.tensor([-1]))


@means("DataContractError")
def scatter_past_the_end():
    torch.zeros(3).scatter_(0, torch.tensor([5]), 1.0)


@means("DataContractError")
def half_and_float():
    nn.Linear(2, 2)(torch.zeros(1, 2, dtype=torch.half))


@means("GraphError", "DataContractError")
def complex_into_a_comparison():
    torch.full((2,), float("nan"), dtype=torch.complex64).max()


@means("DataContractError")
def histogram_with_an_empty_range():
    torch.histc(torch.zeros(3), bins=4, min=2, max=1)


@means("DisconnectedGradient")
def second_derivative_without_graph():
    x = torch.ones((), requires_grad=True)
    (g,) = torch.autograd.grad(x**2, x)
    torch.autograd.grad(g, x)


@means("GradientFlowError")
def view_of_a_leaf_written():
    x = torch.zeros(3, requires_grad=True)
    x[0] = 1.0


@means("GradientFlowError")
def deep_copy_in_the_graph():
    import copy

    copy.deepcopy(torch.ones(2, requires_grad=True) * 2)


@means("NumericError")
def solution_of_a_singular_system():
    torch.linalg.solve(torch.ones(2, 2), torch.ones(2))


@means("NumericError")
def categorical_of_nan():
    torch.distributions.Categorical(logits=torch.tensor([float("nan"), 0.0]), validate_args=True)


@means("OutOfMemory")
def memory_of_a_repetition():
    torch.zeros(1 << 20).repeat(1 << 30)


@means("TracingError", "UnsupportedControlFlow")
def symbolic_trace_of_a_loop():
    def f(x):
        for row in x:
            x = x + row
        return x

    torch.fx.symbolic_trace(f)


@means("TracingError")
def input_in_fullgraph():
    torch.compile(lambda x: input() or x, fullgraph=True, backend="eager")(torch.ones(3))
