"""Claims about gradients, optimizers and scalers in PyTorch."""

import math
import warnings

import torch
from claims.register import claim, raises
from torch.utils.checkpoint import checkpoint


class Pair(torch.nn.Module):
    """Returns a list."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        return [x * self.weight, x + 1]


def quiet(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


@claim("torch", "The sum of a batch norm's output has no gradient: that is mathematics", used_by="GRD104")
def sum_of_batch_norm_has_no_gradient():
    x = torch.randn(16, 4, dtype=torch.float64, requires_grad=True)
    torch.nn.BatchNorm1d(4).double()(x).sum().backward()
    return float(x.grad.abs().max()) < 1e-12


@claim("torch", "A layer that returns a list does not cut the graph", used_by="GRD102")
def list_keeps_graph():
    model = Pair()
    model(torch.ones(2))[0].sum().backward()
    return model.weight.grad is not None


@claim("torch", "Reentrant checkpointing of a function that returns a list gives no gradient", used_by="often said otherwise")
def reentrant_checkpoint_loses_list():
    model, x = Pair(), torch.ones(2, requires_grad=True)
    out = quiet(lambda: checkpoint(lambda x: [model(x)], x, use_reentrant=True))
    first = out[0][0]
    return not first.requires_grad


@claim("torch", "Full backward hooks of a module fire where it returns a list", used_by="MOD170")
def backward_hooks_fire_for_lists():
    model, fired = Pair(), []
    model.register_full_backward_hook(lambda *_: fired.append(1))
    model(torch.ones(2, requires_grad=True))[0].sum().backward()
    return bool(fired)


@claim("torch", "torch.tensor of a tensor cuts the graph, with a warning", used_by="GRD102")
def tensor_of_tensor_cuts():
    x = torch.ones(2, requires_grad=True)
    return not quiet(lambda: torch.tensor(x)).requires_grad


@claim("torch", "A cast to integers cuts the graph", used_by="GRD102")
def integers_cut():
    return not torch.ones(2, requires_grad=True).long().requires_grad


@claim("torch", "A softmax over one entry is 1 and has no gradient", used_by="LOS103")
def softmax_over_one_has_no_gradient():
    x = torch.randn(4, 1, requires_grad=True)
    x.softmax(1).sum().backward()
    return not bool(x.grad.any())


@claim("torch", "The gradient of sqrt at 0 is infinite, not NaN", used_by="NUM101")
def gradient_of_sqrt_is_infinite():
    x = torch.zeros(1, requires_grad=True)
    x.sqrt().sum().backward()
    return math.isinf(float(x.grad))


@claim("torch", "Anomaly detection does not hear of an infinite gradient", used_by="NUM101")
def anomaly_misses_infinity():
    x = torch.zeros(1, requires_grad=True)
    with quiet(torch.autograd.detect_anomaly):
        return not raises(RuntimeError, quiet, lambda: x.sqrt().sum().backward())


@claim("torch", "where does not stop a NaN gradient of the branch that was not taken", used_by="NUM101")
def where_passes_nan():
    x = torch.zeros(1, requires_grad=True)
    torch.where(x > 0, x.sqrt(), torch.zeros(1)).sum().backward()
    return bool(x.grad.isnan())


@claim("torch", "Half the loss has NaN where the loss has", used_by="often said otherwise")
def halving_cures_nothing():
    return bool((torch.tensor(-1.0).log() * 0.5).isnan())


@claim("torch", "clip_grad_norm_ makes every gradient NaN where one is", used_by="NUM101")
def clipping_spreads_nan():
    one, two = (torch.nn.Parameter(torch.ones(1)) for _ in range(2))
    one.grad, two.grad = torch.tensor([math.nan]), torch.ones(1)
    torch.nn.utils.clip_grad_norm_([one, two], 1.0)
    return bool(two.grad.isnan())


@claim("torch", "clip_grad_norm_ to 0 makes gradients zero: it does not switch clipping off", used_by="OPT118")
def clipping_to_zero():
    weight = torch.nn.Parameter(torch.ones(1))
    weight.grad = torch.ones(1)
    torch.nn.utils.clip_grad_norm_([weight], 0.0)
    return not bool(weight.grad.any())


def overflow(scaler, optimizer, weight):
    optimizer.zero_grad()
    scaler.scale((weight * math.inf).sum()).backward()
    scaler.step(optimizer)
    scaler.update()


@claim("torch", "GradScaler skips a step with gradients that are not finite", used_by="NUM103")
def scaler_skips():
    weight = torch.nn.Parameter(torch.ones(1))
    scaler, optimizer = torch.amp.GradScaler("cpu"), torch.optim.SGD([weight], lr=1.0)
    overflow(scaler, optimizer, weight)
    return float(weight) == 1.0


@claim("torch", "After 144 overflows the inverse of GradScaler's scale is infinite, and a clean step breaks the weights", used_by="NUM103")
def scaler_breaks_weights_in_the_end():
    weight = torch.nn.Parameter(torch.ones(1))
    scaler, optimizer = torch.amp.GradScaler("cpu"), torch.optim.SGD([weight], lr=1.0)
    for _ in range(144):
        overflow(scaler, optimizer, weight)
    kept = math.isfinite(float(weight))
    optimizer.zero_grad()
    scaler.scale((weight * 1.0).sum()).backward()
    scaler.step(optimizer)
    return kept and not math.isfinite(float(weight))


@claim("torch", "Step hooks of an optimizer do not hear of a step that GradScaler skips", used_by="the gate")
def hooks_miss_skipped_steps():
    weight, heard = torch.nn.Parameter(torch.ones(1)), []
    scaler, optimizer = torch.amp.GradScaler("cpu"), torch.optim.SGD([weight], lr=1.0)
    optimizer.register_step_pre_hook(lambda *_: heard.append(1))
    overflow(scaler, optimizer, weight)
    return not heard


@claim("torch", "zero_grad leaves None, not zeros", used_by="OPT104")
def zero_grad_leaves_none():
    weight = torch.nn.Parameter(torch.ones(1))
    weight.sum().backward()
    torch.optim.SGD([weight], lr=1.0).zero_grad()
    return weight.grad is None


@claim("torch", "A schedule that is stepped before the optimizer only warns", used_by="OPT111")
def early_schedule_warns():
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        schedule.step()
    return len(said) == 1


@claim("torch", "Adam's weight decay goes through its adaptive step; AdamW's does not", used_by="OPT117")
def decay_goes_through_the_step():
    def shrunk(kind):
        weight = torch.nn.Parameter(torch.tensor([100.0]))
        weight.grad = torch.zeros(1)
        kind([weight], lr=0.1, weight_decay=0.1).step()
        return 100.0 - float(weight)

    return abs(shrunk(torch.optim.Adam) - 0.1) < 1e-3 and abs(shrunk(torch.optim.AdamW) - 1.0) < 1e-3


@claim("torch", "A value that is overwritten in place after it was saved is an error in backward, not a wrong gradient", used_by="GRD202")
def overwritten_value_raises():
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.add_(1)
    return raises(RuntimeError, y.sum().backward)
