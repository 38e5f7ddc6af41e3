"""Claims about values, losses and shapes in PyTorch."""

import math
import warnings

import numpy as np
import torch
from claims.register import claim, raises
from torch.nn import functional as F


@claim("torch", "BatchNorm1d on a vector of features raises: it is not silent", used_by="MOD104")
def batch_norm_of_vector_raises():
    return raises(ValueError, torch.nn.BatchNorm1d(4), torch.randn(4))


@claim("torch", "A difference of [B, 1] and [B] broadcasts to [B, B] without a warning", used_by="SHP101")
def difference_broadcasts_silently():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        shape = (torch.randn(4, 1) - torch.randn(4)).shape
    return shape == (4, 4) and not said


@claim("torch", "mse_loss of [B, 1] and [B] computes all pairs, and only warns", used_by="SHP101")
def mse_loss_of_other_shape_warns():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        loss = F.mse_loss(torch.zeros(2, 1), torch.tensor([0.0, 2.0]))
    return float(loss) == 2.0 and len(said) == 1


@claim("torch", "A mask [B, S] is laid along queries and keys where B is S, without an error", used_by="SHP105")
def square_mask_broadcasts():
    return torch.zeros(4, 2, 4, 4).masked_fill(torch.ones(4, 4).bool(), 1.0).shape == (4, 2, 4, 4)


@claim("torch", "A linear layer of 512 features refuses 768", used_by="tensan.errors")
def wrong_width_raises():
    return raises(RuntimeError, torch.nn.Linear(512, 2), torch.randn(3, 768))


@claim("torch", "isnan is false for infinity: it does not stand for a test of what is finite", used_by="NUM101")
def isnan_misses_infinity():
    return not bool(torch.tensor(math.inf).isnan())


@claim("torch", "clamp leaves NaN as it is", used_by="NUM101")
def clamp_keeps_nan():
    return bool(torch.tensor(math.nan).clamp(0, 1).isnan())


@claim("torch", "Cross-entropy whose targets are all ignored is NaN", used_by="LOS107")
def all_ignored_is_nan():
    return bool(F.cross_entropy(torch.randn(3, 4), torch.full((3,), -100)).isnan())


@claim("torch", "Cross-entropy takes probabilities for scores without an error", used_by="LOS101")
def cross_entropy_of_probabilities_is_silent():
    return math.isfinite(float(F.cross_entropy(torch.randn(3, 4).softmax(1), torch.tensor([0, 1, 2]))))


@claim("torch", "Binary cross-entropy refuses scores outside of 0 and 1", used_by="LOS101")
def bce_of_scores_raises():
    return raises(RuntimeError, F.binary_cross_entropy, torch.tensor([2.0]), torch.tensor([1.0]))


@claim("torch", "kl_div of probabilities, not their logarithms, is a number below zero, without an error", used_by="LOS102")
def kl_div_of_probabilities_is_silent():
    p = torch.tensor([[0.5, 0.5]])
    return float(F.kl_div(p, p, reduction="batchmean")) < 0


@claim("torch", "In scaled_dot_product_attention True in a mask lets through; in MultiheadAttention it hides", used_by="ARC102")
def masks_mean_opposite_things():
    x, mask = torch.randn(1, 2, 4), torch.tensor([[True, False]])
    layer = torch.nn.MultiheadAttention(4, 1, batch_first=True)
    weights = layer(x, x, x, key_padding_mask=mask)[1]
    v = torch.tensor([[[1.0], [2.0]]])
    taken = F.scaled_dot_product_attention(torch.ones(1, 2, 1), torch.ones(1, 2, 1), v, attn_mask=mask[:, None])
    return float(weights[..., 0].detach().abs().max()) == 0.0 and bool((taken == 1).all())


@claim(
    "torch", "Recurrent layers and MultiheadAttention take time for the first axis unless batch_first is given", used_by="SHP102, SHP105"
)
def time_is_first_by_default():
    return not torch.nn.LSTM(2, 2).batch_first and not torch.nn.GRU(2, 2).batch_first and not torch.nn.MultiheadAttention(2, 1).batch_first


@claim("torch", "Arithmetic in uint8 wraps around", used_by="DAT120")
def uint8_wraps():
    return int(torch.tensor(200, dtype=torch.uint8) + torch.tensor(100, dtype=torch.uint8)) == 44


@claim("torch", "torch.tensor of a transposed array has the values of the transposed one", used_by="often said otherwise")
def tensor_of_transposed_is_right():
    array = np.arange(6.0).reshape(2, 3)
    return torch.tensor(np.transpose(array)).tolist() == array.T.tolist()


@claim("torch", "from_numpy shares memory with the array", used_by="DAT101")
def from_numpy_shares_memory():
    array = np.zeros(2)
    torch.from_numpy(array)[0] = 1
    return array[0] == 1


@claim("torch", "A tensor of an array of 64-bit floats has 64 bits", used_by="SHP202")
def doubles_stay_doubles():
    return torch.tensor(np.zeros(2)).dtype == torch.float64


@claim(
    "torch",
    "The focal loss (gamma 2) has 1.2 times the gradient of cross-entropy at p = 0.1: hard samples weigh more",
    used_by="often said otherwise",
)
def focal_loss_amplifies():
    def slope(loss):
        z = torch.tensor(math.log(0.1 / 0.9), dtype=torch.float64, requires_grad=True)
        loss(torch.sigmoid(z)).backward()
        return float(z.grad)

    ratio = slope(lambda p: -((1 - p) ** 2) * p.log()) / slope(lambda p: -p.log())
    return abs(ratio - 1.2245) < 1e-3


@claim(
    "torch", "A cosine schedule is at 20.6 % after 0.7 of its steps, and ends at 26 % where T_max is 1.5 times the steps", used_by="OPT140"
)
def cosine_is_where_it_is():
    def rates(planned, steps):
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, planned)
        for _ in range(steps):
            optimizer.step()
            schedule.step()
        return optimizer.param_groups[0]["lr"]

    return abs(rates(100, 70) - 0.206) < 1e-3 and abs(rates(150, 99) - 0.26) < 2e-3
