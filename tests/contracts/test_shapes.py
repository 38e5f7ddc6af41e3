"""Broadcasting against the rule of two libraries on every pair of small shapes; refusals; the way back against autograd."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given

from tensan import shapes
from tensan.errors import ShapeMismatchError

SMALL = [shape for rank in range(4) for shape in product(range(4), repeat=rank)]


def asked(function, *given):
    try:
        return tuple(function(*given))
    except (ValueError, RuntimeError):
        return None


def test_every_pair_of_small_shapes_is_as_numpy_and_torch_have_it():
    pairs = list(product(SMALL, SMALL))
    assert len(pairs) == 7225
    ours = [asked(shapes.broadcast_to_match, one, other) for one, other in pairs]
    assert ours == [asked(np.broadcast_shapes, one, other) for one, other in pairs]
    assert ours == [asked(torch.broadcast_shapes, one, other) for one, other in pairs]
    assert None in ours


@pytest.mark.parametrize("of", [torch.arange, np.arange])
def test_arrays_come_back_repeated(of):
    column, row = shapes.broadcast_to_match(of(3).reshape(3, 1), of(4))
    assert tuple(column.shape) == tuple(row.shape) == (3, 4)
    assert (column + row).tolist() == [[i + j for j in range(4)] for i in range(3)]


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ((4, 1), (4,), "both grow to [4, 4]"),
        ((1, 3), (4, 1), "both grow to [4, 3]"),
        ((5,), (5, 5), "at axis 0 or 1"),
        ((5, 2), (5, 2, 5, 2), "at axis 0 or 2"),
    ],
)
def test_strict_refuses_and_explains(one, other, why):
    for pair in ((one, other), (other, one)):
        assert shapes.broadcast_to_match(*pair)
        with pytest.raises(ShapeMismatchError) as refused:
            shapes.broadcast_to_match(*pair, strict=True)
        assert why in str(refused.value)


@pytest.mark.parametrize(
    ("one", "other"), [((4, 3), (3,)), ((4, 3), (4, 1)), ((4, 3), ()), ((2, 4, 3), (4, 3)), ((4, 3), (4, 3)), ((1,), (5, 5))]
)
def test_strict_lets_through_what_grows_one_way_to_one_place(one, other):
    assert shapes.broadcast_to_match(one, other, strict=True) == np.broadcast_shapes(one, other)


def test_the_message_names_axis_and_sizes():
    with pytest.raises(ShapeMismatchError, match=r"\[2, 3\] and \[2, 4\] do not broadcast: at axis -1 meet 3 and 4"):
        shapes.broadcast_to_match((2, 3), (2, 4))


@given(shapes.compatible_shapes())
def test_unbroadcast_is_what_autograd_does(pair):
    one, other = (torch.ones(shape, requires_grad=True) for shape in pair)
    upstream = torch.arange(float((one + other).numel())).reshape((one + other).shape)
    (one + other).backward(upstream)
    for array in (one, other):
        assert array.grad is not None
        assert torch.equal(shapes.unbroadcast(upstream, array.shape), array.grad)
        assert np.array_equal(shapes.unbroadcast(upstream.numpy(), array.shape), array.grad.numpy())


@given(shapes.compatible_shapes())
def test_unbroadcast_of_ones_counts_the_repetitions(pair):
    whole = shapes.broadcast_shape(*pair)
    for shape in pair:
        back = shapes.unbroadcast(np.ones(whole), shape)
        assert back.shape == shape
        assert back.sum() == np.prod(whole)
        assert np.unique(back).size <= 1


@given(shapes.incompatible_shapes())
def test_incompatible_shapes_are_refused_by_every_library(pair):
    assert asked(np.broadcast_shapes, *pair) is None
    with pytest.raises(ShapeMismatchError):
        shapes.broadcast_shape(*pair)


def test_unbroadcast_refuses_what_did_not_come_from_there():
    for shape in ((3,), (2, 4, 1), (5, 1)):
        with pytest.raises(ShapeMismatchError, match="is not that of an array of shape"):
            shapes.unbroadcast(np.ones((2, 4)), shape)


def test_names_are_bound_across_assertions():
    sizes = shapes.assert_shape(np.zeros((2, 7, 8)), ("batch", "time", 8))
    assert sizes == {"batch": 2, "time": 7}
    assert shapes.assert_shape(np.zeros((2, 5, 5, 3)), ("batch", ..., None), **sizes) == sizes
    with pytest.raises(ShapeMismatchError, match=r"axis 1 is 6, not time = 7"):
        shapes.assert_shape(np.zeros((2, 6)), ("batch", "time"), **sizes)
    with pytest.raises(ShapeMismatchError, match="has 2 axes, not the 3"):
        shapes.assert_shape(np.zeros((2, 6)), (None, None, None))
    with pytest.raises(ShapeMismatchError, match="has 1 axes, not the 2"):
        shapes.assert_shape(np.zeros(2), (None, ..., 3, 4)[2:])


def test_same_shape_does_not_broadcast():
    shapes.assert_same_shape(np.zeros(3), torch.zeros(3))
    with pytest.raises(ShapeMismatchError, match=r"argument 0 is \[3\], argument 1 is \[3, 1\]"):
        shapes.assert_same_shape(np.zeros(3), np.zeros((3, 1)))
