"""Exceptions of PyTorch of a first round that was held out: 67 of the 82 that it raised were right when it was first scored."""

import io
from datetime import timedelta

import torch
from harness import means
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)


@means("ShapeMismatchError")
def lstm_of_another_width():
    nn.LSTM(4, 3)(torch.zeros(2, 1, 5))


@means("ShapeMismatchError")
def attention_mask_of_another_length():
    nn.MultiheadAttention(4, 2, batch_first=True)(*[torch.zeros(1, 3, 4)] * 3, attn_mask=torch.zeros(5, 5))


@means("ShapeMismatchError")
def normalised_over_another_shape():
    F.layer_norm(torch.zeros(2, 3), (4,))


@means("ShapeMismatchError")
def einsum_of_unlike():
    torch.einsum("ij,jk->ik", torch.zeros(2, 3), torch.zeros(4, 5))


@means("ShapeMismatchError")
def kernel_larger_than_the_picture():
    nn.Conv2d(1, 1, 5)(torch.zeros(1, 1, 3, 3))


@means("ShapeMismatchError")
def permutation_of_other_axes():
    torch.zeros(2, 3).permute(0, 2, 1)


@means("ShapeMismatchError")
def split_into_other_sizes():
    torch.zeros(5).split([2, 2])


@means("ShapeMismatchError")
def binary_loss_of_unlike():
    F.binary_cross_entropy_with_logits(torch.zeros(4, 1), torch.zeros(4))


@means("ShapeMismatchError", "TracingError")
def product_of_unlike_while_compiled():
    torch.compile(lambda a, b: a @ b, backend="eager")(torch.zeros(2, 3), torch.zeros(4, 5))


@means("DataContractError")
def targets_of_short_integers():
    F.cross_entropy(torch.zeros(2, 3), torch.zeros(2, dtype=torch.int32))


@means("DataContractError")
def logarithm_into_integers():
    torch.log(torch.ones(2), out=torch.ones(2, dtype=torch.long))


@means("DataContractError")
def mask_of_numbers():
    torch.zeros(3)[torch.tensor([0.5, 0.2, 0.1])]


@means("DataContractError")
def gather_past_the_end():
    torch.gather(torch.zeros(3), 0, torch.tensor([5]))


@means("DataContractError")
def one_hot_of_a_negative():
    F.one_hot(torch.tensor([-1]), 3)


@means("DataContractError")
def collated_of_unknown_type():
    torch.utils.data.default_collate([object(), object()])


@means("GradientFlowError")
def integers_that_require_gradient():
    torch.zeros(3, dtype=torch.long).requires_grad_()


@means("GradientFlowError")
def gradient_of_another_shape():
    torch.ones(3, requires_grad=True).exp().backward(torch.ones(4))


@means("DisconnectedGradient", "GradientFlowError")
def frozen_model():
    model = nn.Linear(2, 1).requires_grad_(False)
    model(torch.zeros(1, 2)).sum().backward()


@means("NumericError")
def bernoulli_of_two():
    torch.bernoulli(torch.tensor(2.0))


@means("OutOfMemory")
def memory_of_a_square():
    torch.eye(1 << 26)


@means("DeviceError")
def generator_of_another_device():
    torch.Generator(device="cuda")


@means("TracingError", "UnsupportedControlFlow")
def export_of_a_loop_over_values():
    class M(nn.Module):
        def forward(self, x):
            for _ in range(int(x.sum())):
                x = x + 1
            return x

    torch.export.export(M(), (torch.ones(3),))


@means("TracingError")
def scripted_without_types():
    @torch.jit.script
    def f(x):
        return x.no_such_method()


@means("DistributedError")
def group_of_an_unknown_backend():
    torch.distributed.init_process_group("gloo", init_method="tcp://127.0.0.1:1", rank=1, world_size=2, timeout=timedelta(milliseconds=200))


@means("DataContractError")
def optimizer_state_of_others():
    one = torch.optim.Adam(nn.Linear(2, 1).parameters())
    other = torch.optim.Adam([*nn.Linear(2, 1).parameters(), torch.zeros(1, requires_grad=True)])
    one.load_state_dict(other.state_dict())


@means("DataContractError")
def file_that_is_text():
    torch.load(io.BytesIO(b"not a checkpoint at all"))


@means("GraphError", "DataContractError")
def half_of_what_has_no_half():
    torch.linalg.inv(torch.eye(2, dtype=torch.half))
