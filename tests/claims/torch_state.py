"""Claims about modes, states, devices and randomness in PyTorch."""

import contextlib
import threading

import numpy as np
import torch
from claims.register import claim
from torch.utils.data import DataLoader, Dataset


@claim("torch", "state_dict shares memory with the model: what is kept as the best goes on being trained", used_by="CKP101")
def state_dict_is_no_copy():
    model = torch.nn.Linear(2, 2)
    state = model.state_dict()
    with torch.no_grad():
        model.weight.fill_(7)
    return bool((state["weight"] == 7).all())


@claim("torch", "load_state_dict(strict=False) loads nothing without an error where no key fits", used_by="CKP102")
def nothing_is_loaded_silently():
    model = torch.nn.Linear(2, 2)
    return len(model.load_state_dict({"module.weight": torch.zeros(2, 2)}, strict=False).missing_keys) == 2


@claim("torch", "torch.load refuses classes unless weights_only=False", used_by="tensan.errors")
def load_is_for_weights_alone():
    import inspect

    return inspect.signature(torch.load).parameters["weights_only"].default in (None, True)


@claim("torch", "F.dropout is switched on unless training=False is given, in eval mode too", used_by="MOD105")
def functional_dropout_ignores_mode():
    return bool((torch.nn.functional.dropout(torch.ones(1000)) == 0).any())


@claim("torch", "eval() does not switch gradients off", used_by="MOD101")
def eval_keeps_gradients():
    return torch.nn.Linear(2, 2).eval()(torch.ones(2)).requires_grad


@claim("torch", "The row of padding_idx gets no gradient, and keeps what it is overwritten with", used_by="MOD131")
def padding_row_stays_overwritten():
    table = torch.nn.Embedding(3, 2, padding_idx=0)
    torch.nn.init.ones_(table.weight)
    table(torch.tensor([0, 1])).sum().backward()
    return bool((table.weight[0] == 1).all()) and not bool(table.weight.grad[0].any())


@claim("torch", "The same seed gives the same draws again", used_by="RNG102")
def seed_repeats():
    def draw():
        torch.manual_seed(3)
        return torch.rand(4)

    return bool(draw().equal(draw()))


def _leaks(enter):
    before = torch.get_default_device()
    with contextlib.suppress(ZeroDivisionError):
        enter()
    leaked = torch.get_default_device() != before
    torch.set_default_device(None)
    return leaked


@claim("torch", "set_default_device stays set after an exception", used_by="tensan.device")
def default_device_leaks():
    def enter():
        torch.set_default_device("meta")
        raise ZeroDivisionError

    return _leaks(enter)


@claim("torch", "torch.device as a context manager is undone by an exception", used_by="tensan.device")
def device_context_does_not_leak():
    def enter():
        with torch.device("meta"):
            raise ZeroDivisionError

    return not _leaks(enter)


@claim("torch", "set_default_device holds for its own thread alone", used_by="tensan.device")
def default_device_is_per_thread():
    seen = []
    torch.set_default_device("meta")
    try:
        thread = threading.Thread(target=lambda: seen.append(torch.empty(1).device.type))
        thread.start()
        thread.join()
    finally:
        torch.set_default_device(None)
    return seen == ["cpu"]


class Noise(Dataset):
    """Draws from a generator of its own."""

    def __init__(self):
        self.generator = np.random.default_rng(0)

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return self.generator.random()


def _drawn(loader):
    return [float(value) for batch in loader for value in batch]


@claim("torch", "A generator that a dataset holds gives two workers the same numbers, and each epoch those of the last", used_by="RNG101")
def held_generator_repeats():
    loader = DataLoader(Noise(), batch_size=4, num_workers=2, multiprocessing_context="fork")
    first, second = _drawn(loader), _drawn(loader)
    return len(set(first)) == 4 and first == second


class GlobalNoise(Noise):
    """Draws from NumPy's global generator."""

    def __getitem__(self, index):
        return np.random.random()


@claim("torch", "NumPy's global generator is seeded in each worker: two draw different numbers", used_by="RNG101")
def global_generator_differs_by_worker():
    return len(set(_drawn(DataLoader(GlobalNoise(), batch_size=4, num_workers=2, multiprocessing_context="fork")))) == 8


@claim("torch", "There is no torch._C._set_warn_undefined_error and no torch.cuda.CUDAError", used_by="often said otherwise")
def invented_names_are_not_there():
    return not hasattr(torch._C, "_set_warn_undefined_error") and not hasattr(torch.cuda, "CUDAError")


@claim("torch", "from_numpy warns of an array that is not to be written once in a process, whichever line asks", used_by="tensan.strict")
def not_writable_is_told_once():
    import warnings

    array = np.ones(2)
    array.flags.writeable = False

    def warned():
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            torch.from_numpy(array)
        return bool(told)

    warned()  # perhaps not the first time in this process
    return not warned()


@claim("torch", "A step of an optimizer passes over parameters that have no gradient, and says nothing", used_by="tensan.strict")
def step_without_gradient_is_silent():
    import warnings

    weight = torch.ones(2, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.optim.SGD([weight], lr=1.0, weight_decay=1.0).step()
    return bool((weight == 1).all())


@claim("torch", "A loss of [N, 1] against [N] broadcasts with a warning, not an error", used_by="tensan.strict, SHP101")
def loss_broadcast_only_warns():
    import warnings

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        torch.nn.functional.mse_loss(torch.ones(4, 1), torch.ones(4))
    return any("Using a target size" in str(each.message) for each in told)


@claim("torch", "A default device that is set within `with torch.device` is still set behind the block", used_by="tensan.device")
def setter_outlives_a_block():
    with torch.device("meta"):
        torch.set_default_device("meta")
    try:
        return getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None) is not None
    finally:
        torch.set_default_device(None)
        for _ in torch.overrides._get_current_function_mode_stack():
            torch.overrides._pop_mode()
