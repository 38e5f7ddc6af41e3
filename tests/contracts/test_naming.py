"""`tensan.axes`: it gives back the array itself, refuses what cannot be right, keeps nothing alive, and is no break for a compiler."""

import gc
import weakref

import numpy as np
import pytest
import torch

import tensan
from tensan.core import declared
from tensan.core.errors import UsageError
from tensan.core.settings import Settings
from tensan.core.watch import Watch, current, set_current


@pytest.fixture
def watching():
    before = current()
    set_current(Watch(settings=Settings(), rules=()))
    yield
    set_current(before)


def names_of(value):
    return next((names for known, names in declared.living() if known is value), None)


@pytest.mark.parametrize("value", [torch.zeros(2, 3), np.zeros((2, 3))])
def test_the_array_itself_comes_back(value, watching):
    assert tensan.axes(value, "B 3") is value
    assert names_of(value) == ("B", "_")


@pytest.mark.parametrize(
    ("value", "names", "words"),
    [
        (torch.zeros(2, 3), "B T D", "'B T D' is for an array with 3 axes, got one with 2: [2, 3]"),
        (torch.zeros(2, 3), "B,T", "'B,T' is no list of axes"),
        (torch.zeros(2, 3), "", "'' is no list of axes"),
        ([1, 2], "B", "got list"),
    ],
)
def test_what_cannot_be_right_is_refused(value, names, words):
    with pytest.raises(UsageError) as refused:
        tensan.axes(value, names)
    assert words in str(refused.value)


def test_nothing_is_kept_alive_or_kept_where_nobody_watches(watching):
    value = tensan.axes(torch.zeros(2, 3), "B T")
    gone = weakref.ref(value)
    del value
    gc.collect()
    assert gone() is None
    set_current(None)
    value = tensan.axes(torch.zeros(2, 3), "B T")
    assert names_of(value) is None


def test_a_contract_declares_what_fits(watching):
    @tensan.contract("batch: {x: f32[B, ...], pair: (f32[B, T], _)}, scale: f32[] -> f32[T, B]")
    def function(batch, scale):
        return batch["pair"][0].t() * scale

    x, y, scale = torch.zeros(2, 3, 4), torch.zeros(2, 5), torch.tensor(1.0)
    result = function({"x": x, "pair": (y, None)}, scale)
    assert names_of(x) == ("B", "_", "_")
    assert names_of(y) == ("B", "T")
    assert names_of(result) == ("T", "B")
    assert names_of(scale) is None


def test_compiled_whole(watching):
    set_current(None)
    compiled = torch.compile(lambda x: tensan.axes(x, "B T") + 1, backend="eager", fullgraph=True)
    assert compiled(torch.zeros(2, 3)).equal(torch.ones(2, 3))
