"""Ordinary exceptions of Python and of the program's own code, in a process with a framework: none is a fault of the taxonomy."""

import json

import torch
from harness import means

x = torch.zeros(3)


class OwnError(RuntimeError):
    pass


@means(None)
def list_index():
    [1, 2][5]


@means(None)
def key_of_a_dictionary():
    {}["shape"]


@means(None)
def text_for_a_number():
    int("dtype")


@means(None)
def attribute_of_none():
    None.shape  # noqa: B018


@means(None)
def no_attribute_of_a_tensor():
    x.no_such_attribute  # noqa: B018


@means(None)
def unpacking():
    _a, _b = [1, 2, 3]


@means(None)
def missing_argument():
    (lambda size: size)()


@means(None)
def division():
    1 / 0  # noqa: B018


@means(None)
def no_json():
    json.loads("{")


@means(None)
def no_module():
    import no_such_module  # noqa: F401


@means(None)
def assertion_of_the_program():
    assert x.shape == (4,), "sizes of tensors must match"


@means(None)
def words_of_the_program():
    raise RuntimeError("mat1 and mat2 shapes cannot be multiplied (4x5 and 3x2)")


@means(None)
def class_of_the_program():
    raise OwnError("CUDA out of memory: the shape must match")


@means(None)
def value_of_the_program():
    raise ValueError("gradient is nan: expected shape (3,)")


@means(None)
def dictionary_that_grows():
    d = {1: 1}
    for k in d:
        d[k + 1] = 1


@means(None)
def sum_of_text():
    "a" + 1  # noqa: B018


@means(None)
def recursion():
    recursion()


@means(None)
def spent_iterator():
    next(iter([]))


@means(None)
def file_of_the_program():
    open("/no/such/file")  # noqa: SIM115


@means(None)
def group_of_several():
    raise ExceptionGroup("several", [ValueError("shape mismatch")])
