"""Exceptions of PyTorch that the classifier was written with."""

import os
import tempfile

import torch
from harness import means
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)


class Own:
    pass


@means("ShapeMismatchError")
def linear_of_another_width():
    nn.Linear(3, 2)(torch.zeros(4, 5))


@means("ShapeMismatchError")
def sum_of_unlike():
    torch.zeros(3) + torch.zeros(4)


@means("ShapeMismatchError")
def reshape_of_another_size():
    torch.zeros(6).view(4, 2)


@means("ShapeMismatchError")
def concatenation_of_unlike():
    torch.cat([torch.zeros(2, 3), torch.zeros(2, 4)])


@means("ShapeMismatchError")
def stack_of_unlike():
    torch.stack([torch.zeros(2), torch.zeros(3)])


@means("ShapeMismatchError")
def convolution_of_other_channels():
    nn.Conv2d(3, 8, 3)(torch.zeros(1, 4, 8, 8))


@means("ShapeMismatchError")
def expansion_of_what_is_not_one():
    torch.zeros(3).expand(4)


@means("ShapeMismatchError")
def batched_product_of_unlike():
    torch.bmm(torch.zeros(2, 3, 4), torch.zeros(2, 5, 6))


@means("ShapeMismatchError")
def cross_entropy_of_other_batch():
    F.cross_entropy(torch.zeros(4, 3), torch.zeros(5, dtype=torch.long))


@means("ShapeMismatchError")
def state_of_another_model():
    nn.Linear(3, 2).load_state_dict(nn.Linear(4, 2).state_dict())


@means("DataContractError")
def state_with_other_keys():
    nn.Linear(3, 2).load_state_dict({"w": torch.zeros(2, 3)})


@means("DataContractError")
def product_of_other_types():
    torch.zeros(2, 3) @ torch.zeros(3, 2, dtype=torch.float64)


@means("DataContractError")
def index_of_floats():
    nn.Embedding(4, 2)(torch.zeros(2))


@means("DataContractError")
def index_past_the_end():
    nn.Embedding(4, 2)(torch.tensor([4]))


@means("DataContractError")
def target_past_the_classes():
    F.cross_entropy(torch.zeros(2, 3), torch.tensor([0, 3]))


@means("DataContractError")
def probability_above_one():
    F.binary_cross_entropy(torch.full((2,), 1.5), torch.zeros(2))


@means("DisconnectedGradient")
def backward_without_graph():
    torch.zeros(()).backward()


@means("DisconnectedGradient")
def gradient_of_the_unused():
    x, y = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
    torch.autograd.grad(x * 2, y)


@means("GradientFlowError")
def backward_of_many():
    torch.zeros(3, requires_grad=True).exp().backward()


@means("GradientFlowError")
def backward_twice():
    loss = torch.ones((), requires_grad=True).exp()
    loss.backward()
    loss.backward()


@means("GradientFlowError")
def overwritten_before_backward():
    x = torch.ones(3, requires_grad=True).exp()
    y = x.exp().sum() + (x * x).sum()
    x.add_(1)
    y.backward()


@means("GradientFlowError")
def leaf_written():
    torch.zeros(3, requires_grad=True).add_(1)


@means("GradientFlowError")
def numpy_of_what_requires_gradient():
    torch.zeros(3, requires_grad=True).numpy()


@means("NonFiniteGradient")
def nan_in_backward():
    with torch.autograd.detect_anomaly(check_nan=True):
        x = torch.zeros(2, requires_grad=True)
        (torch.sqrt(x) * 0).sum().backward()


@means("NonFiniteGradient")
def clip_of_what_is_not_finite():
    p = torch.zeros(2, requires_grad=True)
    p.grad = torch.full((2,), float("nan"))
    nn.utils.clip_grad_norm_([p], 1.0, error_if_nonfinite=True)


@means("NumericError")
def inverse_of_singular():
    torch.linalg.inv(torch.zeros(2, 2))


@means("NumericError")
def cholesky_of_indefinite():
    torch.linalg.cholesky(-torch.eye(2))


@means("NumericError")
def normal_with_nan():
    torch.distributions.Normal(torch.tensor(float("nan")), 1.0, validate_args=True)


@means("NumericError")
def draw_from_nan():
    torch.multinomial(torch.tensor([float("nan"), 1.0]), 1)


@means("OutOfMemory")
def memory_of_exabytes():
    torch.empty(1 << 55)


@means("DeviceError")
def cuda_where_there_is_none():
    torch.zeros(1, device="cuda")


@means("DeviceError")
def device_that_is_none():
    torch.zeros(1, device="cuda:banana")


@means("DeviceError")
def two_devices():
    nn.Linear(3, 2)(torch.zeros(1, 3, device="meta"))


@means("DeviceError")
def copy_out_of_meta():
    nn.Linear(3, 2, device="meta").to("cpu")


@means("UnsupportedControlFlow")
def branch_in_fullgraph():
    def f(x):
        return x + 1 if x.sum() > 0 else x - 1

    torch.compile(f, fullgraph=True, backend="eager")(torch.ones(3))


@means("UnsupportedControlFlow")
def branch_in_export():
    class M(nn.Module):
        def forward(self, x):
            return x + 1 if x.sum() > 0 else x - 1

    torch.export.export(M(), (torch.ones(3),))


@means("UnsupportedControlFlow")
def branch_in_vmap():
    torch.vmap(lambda x: x if x > 0 else -x)(torch.ones(3))


@means("UnsupportedControlFlow")
def branch_in_fx():
    torch.fx.symbolic_trace(lambda x: x if x.sum() > 0 else -x)


@means("TracingError")
def print_in_fullgraph():
    def f(x):
        torch._dynamo.graph_break()
        return x

    torch.compile(f, fullgraph=True, backend="eager")(torch.ones(3))


@means("TracingError")
def trace_that_does_not_repeat():
    torch.jit.trace(lambda x: {"a": x}, (torch.ones(3),))


@means("TracingError")
def item_in_vmap():
    torch.vmap(lambda x: x * x.item())(torch.ones(3))


@means("TracingError")
def script_of_what_it_cannot():
    def f(x):
        yield x

    torch.jit.script(f)


@means("GraphError")
def operation_on_a_sparse_layout():
    torch.zeros(2, 2).to_sparse().view(4)


@means("ShapeMismatchError")
def batch_of_unlike():
    class Data(torch.utils.data.Dataset):
        def __len__(self):
            return 2

        def __getitem__(self, i):
            return torch.zeros(i + 1)

    next(iter(torch.utils.data.DataLoader(Data(), batch_size=2)))


@means("DistributedError")
def collective_without_group():
    torch.distributed.all_reduce(torch.zeros(1))


@means("DistributedError")
def rendezvous_that_never_comes():
    from datetime import timedelta

    torch.distributed.TCPStore("127.0.0.1", 29877, 2, False, timeout=timedelta(milliseconds=300))


@means("DataContractError")
def checkpoint_cut_short():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.pt")
        torch.save({"a": torch.zeros(1000)}, path)
        with open(path, "r+b") as file:
            file.truncate(500)
        torch.load(path)


@means("DataContractError")
def checkpoint_with_code():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.pt")
        torch.save(Own(), path)
        torch.load(path)


@means("DataContractError")
def batchnorm_of_one():
    nn.BatchNorm1d(3)(torch.zeros(1, 3))


@means("GraphError")
def deterministic_where_there_is_none():
    torch.use_deterministic_algorithms(True)
    try:
        torch.nn.functional.max_unpool2d(torch.zeros(1, 1, 2, 2), torch.zeros(1, 1, 2, 2, dtype=torch.long), 2)
    finally:
        torch.use_deterministic_algorithms(False)
