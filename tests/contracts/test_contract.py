"""Contracts on real functions and modules of torch, on NumPy and JAX: what passes, what is refused, and what is said of it."""

# ruff: noqa: F722, F821 - the axes in annotations of jaxtyping are no forward references

import copy
import importlib.util
import inspect
import os
import pickle
import re
import subprocess
import sys
import warnings
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch import nn

import tensan
from tensan.contracts.calls import tracing
from tensan.contracts.calls.policy import ContractWarning
from tensan.core import settings
from tensan.core.errors import UsageError
from tensan.errors import ContractViolation, DataContractError, ShapeMismatchError

contract = tensan.contract
zeros = torch.zeros


@contract("x: f32[B, T, D], mask: bool[B, T] | None -> f32[B, T, 2*D]")
def encode(x, mask=None, *, times=2):
    return torch.cat([x] * times, dim=-1)


class Own(nn.Linear):
    def forward(self, input):
        return super().forward(input[..., : self.in_features])


class Head(nn.Module):
    def __init__(self, in_features=3, out_features=2):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.linear = nn.Linear(in_features, out_features)

    @contract("x: float[..., self.in_features] -> float[..., self.out_features]")
    def forward(self, x):
        return self.linear(x)


def refused(function, *given, **named):
    with pytest.raises(ContractViolation) as raised:
        function(*given, **named)
    return str(raised.value)


def unreadable(text, function=encode.__wrapped__, **options):
    with pytest.raises(UsageError) as raised:
        contract(text, **options)(function)
    return str(raised.value)


# ---- axes and types ---------------------------------------------------------------------------------------------------


def test_what_is_promised_passes_and_the_function_is_called_as_it_was():
    x = torch.rand(4, 10, 8)
    assert torch.equal(encode(x), torch.cat([x, x], -1))
    assert torch.equal(encode(x, mask=zeros(4, 10, dtype=torch.bool), times=2), torch.cat([x, x], -1))
    assert inspect.signature(encode) == inspect.signature(encode.__wrapped__)
    assert encode.__name__ == "encode"
    assert pickle.loads(pickle.dumps(encode)) is encode


@pytest.mark.parametrize(
    ("given", "named", "said"),
    [
        ((zeros(4, 10, 8), zeros(4, 12, dtype=torch.bool)), {}, "encode: mask: expected [B=4, T=10] (T from x), got [4, 12]"),
        ((zeros(4, 10, 8), zeros(2, 12, dtype=torch.bool)), {}, "encode: mask: expected [B=4, T=10] (B from x, T from x), got [2, 12]"),
        ((zeros(4, 10, 8), zeros(4, 10)), {}, "encode: mask: expected bool, got f32[4, 10]"),
        ((zeros(4, 10),), {}, "encode: x: expected [B, T, D], got [4, 10]"),
        ((zeros(4, 10, 8).double(),), {}, "encode: x: expected f32, got f64[4, 10, 8]"),
        (([1.0],), {}, "encode: x: expected an array f32[B, T, D], got list"),
        ((None,), {}, "encode: x: expected an array f32[B, T, D], got NoneType"),
        ((zeros(4, 10, 8),), {"times": 3}, "encode: return: expected [B=4, T=10, 2*D=16] (D from x), got [4, 10, 24]"),
    ],
)
def test_a_broken_promise_names_function_argument_axes_and_where_they_come_from(given, named, said):
    assert refused(encode, *given, **named) == said


@pytest.mark.parametrize(
    ("text", "good", "bad"),
    [
        ("a: [3, _]", [(3, 9)], [(4, 9), (3,)]),
        ("a: [...]", [(), (1, 2, 3)], []),
        ("a: []", [()], [(1,)]),
        ("a: [..., 3]", [(3,), (4, 5, 3)], [(4, 5), ()]),
        ("a: [N, ..., N]", [(2, 2), (2, 5, 2)], [(2, 3), (2,)]),
        ("a: [2 * N + 1, N]", [(7, 3)], [(6, 3)]),
        ("a: [N, (N - 1) // 2]", [(7, 3)], [(7, 4)]),
    ],
)
@pytest.mark.parametrize("make", [np.zeros, torch.zeros])
def test_the_language_of_axes(text, good, bad, make):
    function = contract(text)(lambda a: a)
    for shape in good:
        assert function(make(shape)).shape == shape
    for shape in bad:
        assert "a: expected [" in refused(function, make(shape))


def test_any_number_of_axes_has_a_name_too():
    function = contract("a: [*batch, N], b: [*batch] -> [*batch]")(lambda a, b: a.sum(-1))
    function(zeros(2, 5, 3), zeros(2, 5))
    function(zeros(3), zeros(()))
    assert "b: expected [*batch=(2, 5)] (batch from a), got [2, 4]" in refused(function, zeros(2, 5, 3), zeros(2, 4))


def test_numbers_among_the_arguments_are_sizes():
    function = contract("count: _, x: [B] -> [B, count]")(lambda x, count: x[:, None].repeat(1, count if x[0] == 0 else 1))
    function(zeros(3), 2)
    assert refused(function, torch.ones(3), 2).endswith("return: expected [B=3, count=2] (count from count), got [3, 1]")


@pytest.mark.parametrize(
    ("written", "allowed", "refused_"),
    [
        ("f32", ["float32"], ["float64", "bfloat16", "int32"]),
        ("bf16", ["bfloat16"], ["float16"]),
        ("float", ["float16", "bfloat16", "float32", "float64"], ["int64", "bool", "complex64"]),
        ("int", ["int8", "int64", "uint8"], ["float32", "bool"]),
        ("bool", ["bool"], ["uint8"]),
        ("complex", ["complex64", "complex128"], ["float32"]),
        ("f16|bf16", ["float16", "bfloat16"], ["float32"]),
        ("int64", ["int64"], ["int32"]),
        ("u8", ["uint8"], ["int8"]),
        ("any", ["bool", "float32", "int8"], []),
    ],
)
def test_types_of_elements_in_every_framework(written, allowed, refused_):
    function = contract(f"a: {written}[N]")(lambda a: a)
    makers = [lambda name: torch.zeros(2, dtype=getattr(torch, name)), lambda name: _numpy(name)]
    for make in makers:
        for name in allowed:
            function(make(name))
        for name in refused_:
            assert f"a: expected {written}, got " in refused(function, make(name))


def _numpy(name):
    import ml_dtypes

    return np.zeros(2, dtype=ml_dtypes.bfloat16 if name == "bfloat16" else name)


# ---- where contracts stand --------------------------------------------------------------------------------------------


def test_a_safe_linear_takes_any_rank_and_refuses_the_wrong_last_axis():
    head = Head()
    assert head(zeros(4, 5, 3)).shape == (4, 5, 2)
    assert head(zeros(3)).shape == (2,)
    assert refused(head, zeros(4, 5)) == "Head.forward: x: expected [..., self.in_features=3], got [4, 5]"
    assert "expected float, got i64[3]" in refused(head, zeros(3, dtype=torch.long))


def test_classes_have_it_on_their_forward_or_call():
    @contract("input: [..., self.in_features] -> [..., self.out_features]")
    class Safe(nn.Linear):
        pass

    @contract("x: [N]")
    class Called:
        def __call__(self, x):
            return x

    safe = Safe(3, 2)
    assert safe(zeros(4, 5, 3)).shape == (4, 5, 2)
    assert refused(safe, zeros(4, 5)) == "Safe.forward: input: expected [..., self.in_features=3], got [4, 5]"
    assert nn.Linear(5, 1)(zeros(4, 5)).shape == (4, 1), "the class above is left alone"
    assert refused(Called(), zeros(())) == "Called.__call__: x: expected [N], got []"
    with pytest.raises(UsageError, match="x is no argument; there are self, input, at character 1"):
        contract("x: [B, 3]")(type("Other", (nn.Linear,), {}))
    with pytest.raises(UsageError, match="neither a forward nor a __call__"):
        contract("x: [B]")(type("Plain", (), {}))


def test_instances_have_it_and_others_of_their_class_have_not():
    one, other = nn.Linear(3, 2), nn.Linear(3, 2)
    assert contract("input: f32[B, 3] -> f32[B, 2]")(one) is one
    assert refused(one, zeros(3)) == "Linear.forward: input: expected [B, 3], got [3]"
    assert other(zeros(3)).shape == (2,)
    twin = copy.deepcopy(one)
    assert "expected [B, 3]" in refused(twin, zeros(3))
    with torch.no_grad():
        twin.weight.zero_()
    assert not torch.equal(one(torch.ones(1, 3)) - one.bias, twin(torch.ones(1, 3)) - twin.bias), "the twin computes with its own weights"
    assert list(one.state_dict()) == ["weight", "bias"]


def test_methods_of_all_kinds_and_callables():
    class Has:
        @contract("x: [N]")
        @staticmethod
        def free(x):
            return x

        @contract("x: [N]")
        @classmethod
        def made(cls, x):
            return cls

    assert Has.free(zeros(1)).shape == (1,)
    assert Has.made(zeros(1)) is Has
    for function in (Has.free, Has.made, Has().free):
        assert "x: expected [N], got []" in refused(function, zeros(()))


def test_arguments_of_every_kind_reach_the_function():
    def all_kinds(a, b=1, /, c=2, *rest, d, e=5, **others):
        return a, b, c, rest, d, e, others

    guarded = contract("a: [N]")(all_kinds)
    a = zeros(1)
    for places, named in (((a,), {"d": 4}), ((a, 7, 8, 9, 10), {"d": 4, "e": 6, "f": 7, "b": 3})):
        assert guarded(*places, **named) == all_kinds(*places, **named)
    assert inspect.signature(guarded) == inspect.signature(all_kinds)
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'd'"):
        guarded(a)


def test_a_type_may_be_that_of_an_argument():
    function = contract("x: float[N], y: x[N] -> x[N]")(lambda x, y: x * y)
    function(zeros(2).double(), zeros(2).double())
    assert refused(function, zeros(2), zeros(2).double()).endswith("y: expected float32 as x is, got f64[2]")
    assert refused(function, zeros(2), np.zeros(2, dtype="float32")).endswith("y: expected float32 as x is, got f32[2]")


def test_layers_of_a_model_refuse_by_their_path():
    model = nn.Sequential(
        nn.Embedding(9, 3),
        nn.Sequential(nn.Linear(3, 2), Own(2, 2)),
        nn.Flatten(0, 1),
        nn.BatchNorm1d(2),
        nn.Unflatten(1, (2, 1)),
        nn.Conv1d(2, 4, 1),
    )
    assert contract.layers(model) is model
    tokens = torch.zeros(4, 5, dtype=torch.long)
    assert model(tokens).shape == (20, 4, 1)
    inner = model[1]
    assert inner(zeros(4, 5, 3)).shape == (4, 5, 2)
    assert refused(inner, zeros(4, 5)) == "1.0 (Linear): input: expected [..., self.in_features=3], got [4, 5]"
    assert refused(inner, zeros(4, 3).double()) == "1.0 (Linear): input: expected float32 as self.weight is, got f64[4, 3]"
    assert refused(model, zeros(4, 5)) == "0 (Embedding): input: expected int, got f32[4, 5]"
    assert "5 (Conv1d): input: expected [..., self.in_channels=2, _], got [3, 7]" in refused(model[5], zeros(3, 7))
    assert pickle.loads(pickle.dumps(model))(tokens).shape == (20, 4, 1)
    assert inner[1](zeros(7)).shape == (2,), "a forward of its own is not known"
    model.bfloat16()
    assert model(tokens).dtype == torch.bfloat16
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert inner(zeros(4, 3)).dtype == torch.bfloat16
    torch._dynamo.reset()
    model.float().eval()
    assert torch.equal(torch.compile(model, backend="eager", fullgraph=True)(tokens), model(tokens))


def test_a_weight_that_is_computed_is_not_asked_for():
    layer = contract.layers(torch.nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2)))
    assert not hasattr(layer.forward, "__contract__")


def test_a_path_that_leads_nowhere_is_told():
    class Wrong(nn.Module):
        @contract("x: [self.lacking]")
        def forward(self, x):
            return x

    with pytest.raises(UsageError, match=r"contract of Wrong.forward: self.lacking: 'Wrong' object has no attribute 'lacking'"):
        Wrong()(zeros(3))


def test_datasets_losses_and_collate_functions():
    class Pictures(torch.utils.data.Dataset):
        def __len__(self):
            return 8

        @contract("-> (f32[3, H, H], i64[])")
        def __getitem__(self, index):
            return torch.rand(3, 4, 4 if index < 6 else 5), torch.tensor(index)

    @contract("-> {image: f32[B, 3, H, W], label: i64[B]}", ranges={"return.label": (0, 9)})
    def collate(samples):
        images, labels = zip(*samples, strict=True)
        return {"image": torch.stack(images), "label": torch.stack(labels), "more": None}

    @contract("predicted: float[B, C], target: int[B] -> float[]", grad={"target": False, "return": True}, finite="return")
    def loss(predicted, target):
        return nn.functional.cross_entropy(predicted, target)

    loader = torch.utils.data.DataLoader(Pictures(), batch_size=2, collate_fn=collate)
    batches = iter(loader)
    for _ in range(3):
        batch = next(batches)
        assert batch["image"].shape == (2, 3, 4, 4)
    assert "__getitem__: return.0: expected [3, H=4, H=4] (H from return.0), got [3, 4, 5]" in refused(next, batches)
    assert "return.label: expected values from 0 to 9, got 50" in refused(collate, [(zeros(3, 2, 2), torch.tensor(50))])
    scores = torch.rand(2, 3, requires_grad=True)
    loss(scores, torch.tensor([0, 1])).backward()
    assert "predicted: expected [B, C], got [2]" in refused(loss, scores[:, 0], torch.tensor([0, 1]))


def test_results_of_several_parts():
    function = contract("x: [B] -> ([B], _, {a: [B]})")(lambda x, result: result)
    x = zeros(2)
    function(x, (x, "anything", {"a": x, "b": 1}))
    for result, said in [
        (x, "return: expected 3 values in a tuple or list, got Tensor"),
        ((x, x), "return: expected 3 values, got 2"),
        ((x, x, x), "return.2: expected a mapping, got Tensor"),
        ((x, x, {"b": x}), "return.2: expected the key 'a', got 'b'"),
        ((x, x, {"a": zeros(3)}), "return.2.a: expected [B=2] (B from x), got [3]"),
    ]:
        assert refused(function, x, result).endswith(said)


# ---- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("made", [torch.tensor, np.array])
def test_ranges_and_finiteness(made):
    function = contract("x: float[N] -> float[N]", ranges={"x": (0, 1)}, finite=("return",))(lambda x, by: x / by)
    function(made([0.0, 0.5, 1.0]), made(2.0))
    assert refused(function, made([0.5, 1.5]), 1.0).endswith("x: expected values from 0 to 1, got 0.5 to 1.5")
    assert refused(function, made([float("nan"), 0.5]), 1.0).endswith("x: expected values from 0 to 1, got nan")
    assert refused(function, made([1.0, 0.5]), made(0.0)).endswith("return: expected finite values, got inf")
    assert function(made([]), 1.0).shape == (0,)


def test_values_of_numbers_booleans_and_complex_ones():
    function = contract(ranges={"x": (0, 1)}, finite="x")(lambda x: x)
    for good in (0.5, 1, torch.tensor([True, False]), torch.tensor([0.3 + 0.4j]), torch.tensor([0.5], dtype=torch.bfloat16)):
        assert function(good) is good
    for bad in (1.5, float("nan"), torch.tensor([3 + 4j]), torch.tensor([2], dtype=torch.int8)):
        assert "x: expected" in refused(function, bad)
    assert "expected an array or a number, got str" in refused(function, "0.5")


def test_a_gradient_is_expected_or_not():
    function = contract(grad={"target": False, "return": True})(lambda x, target: ((x - target) ** 2).mean())
    x, target = torch.ones(3, requires_grad=True), zeros(3)
    function(x, target).backward()
    assert x.grad is not None
    assert "return: expected a gradient to be recorded, got torch's Tensor with requires_grad=False" in refused(function, target, target)
    assert "target: expected no gradient to be recorded" in refused(function, x, x)
    with torch.no_grad():
        function(x, target)
    assert "got numpy's" in refused(function, np.ones(3), np.ones(3))


def test_looking_at_values_leaves_the_graph_and_the_generator_alone():
    function = contract(ranges={"x": (0, 1)}, finite=("x", "return"))(lambda x: x * 2)
    x = torch.full((3,), 0.5, requires_grad=True)
    before = torch.get_rng_state()
    y = function(x)
    assert type(y.grad_fn).__name__ == "MulBackward0"
    assert torch.equal(before, torch.get_rng_state())


# ---- what may be raised -----------------------------------------------------------------------------------------------


def project(x, in_features):
    if x.shape[-1] != in_features:
        raise ShapeMismatchError("wrong size")
    if x.dtype == torch.int64:
        raise TypeError("whole numbers")
    if in_features == 0:
        raise ShapeMismatchError("raised where it was not promised")
    return x


promised = contract(raises={ShapeMismatchError: "x.shape[-1] != in_features"})(project)


def test_declared_exceptions_pass_and_others_are_violations_with_their_cause():
    with pytest.raises(ShapeMismatchError, match="wrong size"):
        promised(zeros(4), 3)
    with pytest.raises(ContractViolation, match=r"project: raised TypeError \(whole numbers\), which is not declared") as raised:
        promised(zeros(3, dtype=torch.int64), 3)
    assert type(raised.value.__cause__) is TypeError
    with pytest.raises(ContractViolation, match=r"declared for 'x.shape\[-1\] != in_features', and that is not so") as raised:
        promised(zeros(0), 0)
    assert type(raised.value.__cause__) is ShapeMismatchError


def test_what_a_framework_raises_counts_as_what_it_means():
    class Plain(nn.Linear):
        pass

    contract(raises={ShapeMismatchError: "input.shape[-1] != in_features"})(Plain)
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied") as raised:
        Plain(3, 2)(zeros(4, 5))
    assert type(raised.value) is RuntimeError, "it is left as it was raised"


def test_contract_violations_of_what_is_called_and_exits_pass():
    def outer(x):
        if x == "exit":
            raise SystemExit(3)
        if x == "stop":
            raise StopIteration
        return encode(x)

    outer_ = contract(raises={})(outer)
    assert refused(outer_, zeros(4, 10)).startswith("encode: x")
    for word, kind in (("exit", SystemExit), ("stop", StopIteration)):
        with pytest.raises(kind):
            outer_(word)


def test_the_signal_that_ends_a_recomputation_passes():
    @contract(raises={})
    def block(x):
        return x.sin().exp()

    x = torch.rand(3, requires_grad=True)
    torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False).sum().backward()
    assert torch.allclose(x.grad, (x.cos() * x.sin().exp()).detach())


def test_a_condition_that_cannot_be_told_is_told():
    function = contract(raises={ValueError: "x.nowhere > 1"})(lambda x: [].index(x))
    assert "its condition 'x.nowhere > 1' cannot be told: AttributeError" in refused(function, zeros(1))


def test_triggers_are_data_that_tests_are_made_of():
    (trigger,) = contract.triggers(promised)
    assert (trigger.exception, trigger.condition) == (ShapeMismatchError, "x.shape[-1] != in_features")
    assert str(trigger) == "project: ShapeMismatchError when x.shape[-1] != in_features"
    assert trigger.holds(zeros(4), in_features=3)
    assert not trigger.holds(zeros(3), in_features=3)
    assert str(trigger.fires(zeros(4), 3)) == "wrong size"
    assert "the condition is not true of these arguments" in refused(trigger.fires, zeros(3), 3)


def test_a_trigger_that_never_fires_fails():
    class Lax(nn.Module):
        in_features = 3

        @contract(raises={ShapeMismatchError: "x.shape[-1:] != (in_features,)", DataContractError: ""})
        def forward(self, x):
            if x.ndim == 0:
                raise DataContractError("no axes")
            return x

    never, always = contract.triggers(Lax())
    assert "the condition is true, and nothing was raised" in refused(never.fires, zeros(4))
    assert "raised DataContractError instead: no axes" in refused(never.fires, zeros(()))
    assert str(always.fires(zeros(()))) == "no axes"
    assert contract.triggers(encode) == ()
    with pytest.raises(UsageError, match="has no contract"):
        contract.triggers(project)


class Guarded(nn.Module):
    """Two checks, of which the first may hide the second; and what is declared for any time."""

    in_features = 3

    @contract(
        raises={
            TypeError: "x.is_floating_point() is False",
            ShapeMismatchError: "x.shape[-1] != in_features",
            ArithmeticError: "x.isnan().any()",
            DataContractError: "",
        }
    )
    def forward(self, x):
        if not x.is_floating_point():
            raise TypeError("whole numbers")
        if x.shape[-1] != self.in_features:
            raise ShapeMismatchError("another size")
        if x.isnan().any():
            raise ArithmeticError("NaN")
        if not x.numel():
            raise DataContractError("nothing")
        return x


def test_each_trigger_becomes_a_test():
    cases = contract.cases(Guarded(), (zeros(4, 3),))
    assert [str(case).partition(": ")[2] for case in cases] == [
        "TypeError when x.is_floating_point() is False",
        "ShapeMismatchError when x.shape[-1] != in_features",
        "ArithmeticError when x.isnan().any()",
        "DataContractError",
    ]
    for case in cases:
        case.check()
    assert [variant.name for variant in cases[0].inputs] == ["0:int64"]
    assert "0:axis 1 less one" in [variant.name for variant in cases[1].inputs]
    assert "example" not in [variant.name for case in cases[:3] for variant in case.inputs]


def test_a_generated_test_fails_where_the_trigger_does_not_fire():
    class Forgets(Guarded):
        @contract(raises={ShapeMismatchError: "x.shape[-1] != in_features", ValueError: "x.shape[0] == 77", DataContractError: ""})
        def forward(self, x):
            return x

    shape, never_met, never_raised = contract.cases(Forgets(), (zeros(4, 3),))
    assert "ShapeMismatchError when x.shape[-1] != in_features: the condition is true, and nothing was raised" in refused(shape.check)
    assert refused(never_met.check).endswith("no input that was tried makes the condition true; give one with inputs=")
    assert "it was never raised, by none of the inputs example, 0:zeros" in refused(never_raised.check)
    given = contract.cases(Forgets(), (zeros(4, 3),), inputs=[(zeros(77, 3),)])[1]
    assert "input input 0: " in refused(given.check)


def test_another_exception_than_declared_fails_a_generated_test():
    class Confuses(Guarded):
        @contract(raises={ShapeMismatchError: "x.shape[-1] != in_features", LookupError: "x.dim() == 7"})
        def forward(self, x):
            if x.shape[-1] != self.in_features:
                raise LookupError("declared, but for something else")
            return x

    assert "raised ContractViolation instead" in refused(contract.cases(Confuses(), (zeros(4, 3),))[0].check)
    with contract.policy("off"):
        assert "raised LookupError instead: declared, but" in refused(contract.cases(Confuses(), (zeros(4, 3),))[0].check)


@pytest.mark.parametrize("given", [(), (3,)])
def test_cases_need_arguments(given):
    with pytest.raises(UsageError, match="as a tuple"):
        contract.cases(Guarded(), *given)
    with pytest.raises(UsageError, match="has no contract"):
        contract.cases(project, (zeros(2), 2))


# ---- policy -----------------------------------------------------------------------------------------------------------


def test_policies_of_blocks_and_decorators():
    lenient = contract("x: [3]", policy="warn")(lambda x: x)
    silent = contract("x: [3]", policy="off")(lambda x: x)
    x = zeros(4)
    with pytest.warns(ContractWarning, match=r"x: expected \[3\], got \[4\]") as warned:
        assert lenient(x) is x
    assert warned[0].filename == __file__
    assert silent(x) is x
    with contract.policy("raise"):
        assert "expected [3]" in refused(lenient, x)
        assert "expected [3]" in refused(silent, x)
        with contract.policy("off"):
            assert lenient(x) is x
        assert "expected [3]" in refused(lenient, x)
    with contract.policy("warn"), pytest.warns(ContractWarning, match="which is not declared"), pytest.raises(TypeError):
        promised(zeros(3, dtype=torch.int64), 3)
    for wrong in (lambda: contract("x: [3]", policy="loud"), lambda: contract.policy("loud").__enter__()):
        with pytest.raises(UsageError, match="'loud' is none of raise, warn, off"):
            wrong()


PROGRAM = """
import sys, warnings
import numpy, tensan
assert "tensan.contracts" not in sys.modules
keep = tensan.contract("x: [3]", policy="raise")(lambda x: x)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    try:
        keep(numpy.zeros(4))
    except tensan.errors.ContractViolation:
        print("raised")
print("warned" if told else "quiet", "torch" in sys.modules)
"""


@pytest.mark.parametrize(("named", "printed"), [("", "raised\nquiet"), ("warn", "warned"), ("off", "quiet"), ("loud", None)])
def test_policies_of_the_environment_and_no_framework_is_imported(named, printed):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={**os.environ, "TENSAN_CONTRACTS": named}, capture_output=True, text=True, timeout=60
    )
    if printed is None:
        assert "environment: TENSAN_CONTRACTS: 'loud' is none of raise, warn, off" in done.stderr
    else:
        assert (done.returncode, done.stdout) == (0, f"{printed} False\n"), done.stderr


def test_the_variable_of_contracts_is_no_setting_of_a_run(tmp_path):
    assert settings.load(folder=tmp_path, environment={"TENSAN_CONTRACTS": "off"}) == settings.load(folder=tmp_path, environment={})


# ---- texts that cannot be read ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        ("x: f32[B, T", "expected ',' or ']'", 12),
        ("x f32[B]", "expected ':' after x", 3),
        ("x: g32[B]", "'g32' is no type of elements", 4),
        ("x: f32", "expected '[' after f32", 7),
        ("y: f32[B]", "y is no argument; there are x, mask, times", 1),
        ("x: f32[B C]", "'B C' is no axis", 8),
        ("x: [*a, ...]", "not two", 4),
        ("x: f32[B] -> [2*Q]", "nothing binds Q", 15),
        ("x: f32[B, self.size]", "nothing binds self.size", 11),
        ("x: f32[B] ->", "expected an array", 13),
        ("x: f32[B],, mask: [B]", "expected the name of an argument", 11),
        ("x: f32[f(B)]", "'f(B)' is no axis", 8),
        ("x: f32[B, ]]", "expected ',' or '->'", 12),
        ("x: [B], x: [B]", "x is promised twice", 9),
        ("x: [B] | int", "expected None after '|'", 10),
        ("x: f32[2*]", "'2*' is no axis", 8),
        ("-> ([B], [B] extra", "expected ',' or ')'", 14),
        ("-> [B] [C]", "expected the end", 8),
    ],
)
def test_a_text_that_cannot_be_read_is_refused_at_once_with_the_place(text, said, place):
    first, *shown = unreadable(text).splitlines()
    assert first.startswith("contract of encode: ")
    assert said in first
    assert first.endswith(f", at character {place}:")
    assert shown == [f"    {text}", f"    {' ' * (place - 1)}^"]


@given(
    st.lists(
        st.sampled_from(
            ["x", ":", "f32", "[", "]", "B", "2*B", "*", "...", ",", "->", "(", ")", "{", "}", "|", "None", "_", " ", ".", "é", "\n"]
        )
    )
)
@example(["x", ":", "f32", "[", "B", "]"])
def test_any_text_is_read_or_refused_with_a_place(words):
    text = "".join(words)
    try:
        contract(text)(encode.__wrapped__)
        said = ""
    except UsageError as error:
        said = str(error)
    assert not said or "nothing is promised" in said or re.search(r", at character \d+:\n", said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "nothing is promised"),
        ({"ranges": {"z": (0, 1)}}, "ranges: 'z' is no argument; there are x, mask, times, return"),
        ({"finite": "z"}, "finite: 'z' is no argument"),
        ({"grad": {"z": True}}, "grad: 'z' is no argument"),
        ({"ranges": {"x": (1, 0)}}, "ranges: x: the least, 1, is more than the most, 0"),
        ({"ranges": {"x": 3}}, "ranges: x: expected two numbers"),
        ({"raises": {ValueError: "x = 3"}}, "raises: ValueError: 'x = 3': invalid syntax, at character 3"),
        ({"raises": {ValueError: "x =="}}, "raises: ValueError: 'x ==': invalid syntax, at character 5"),
        ({"raises": {ValueError: 3}}, "raises: ValueError: expected a condition as a string, got 3"),
        ({"raises": {3: ""}}, "raises: 3 is no class of exceptions"),
    ],
)
def test_options_that_cannot_be(options, said):
    assert said in unreadable("", **options)


def test_what_has_no_result_when_it_is_called_is_refused():
    async def later(x): ...

    def many(x):
        yield x

    for function in (later, many):
        assert "a generator or coroutine has no result" in unreadable("x: [B]", function)
    assert "is no function, class or module" in unreadable("x: [B]", 3)


# ---- tracing ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def both():
    """A function with promises of shapes and of values, new for each test: what is said once is said of its name."""

    @contract("x: f32[B, D], w: f32[D, H] -> f32[B, H]", finite="return", ranges={"x": (0, 1)})
    def multiply(x, w):
        return x @ w

    tracing._said.clear()
    return multiply


@pytest.mark.parametrize("whole", [True, False])
def test_compiled_shapes_are_checked_at_trace_time_and_values_are_said_to_be_skipped(both, whole):
    torch._dynamo.reset()
    compiled = torch.compile(both, backend="eager", fullgraph=whole)
    with pytest.warns(ContractWarning, match="multiply: traced, so ranges, finiteness and gradients are not checked") as said:
        assert compiled(zeros(2, 3), torch.ones(3, 4)).shape == (2, 4)
    assert len([one for one in said if one.category is ContractWarning]) == 1
    assert compiled(torch.full((5, 3), 7.0), torch.ones(3, 4)).shape == (5, 4), "values are skipped"
    if whole:
        with pytest.raises(torch._dynamo.exc.Unsupported, match="Observed exception"):
            compiled(zeros(2, 3), zeros(5, 4))
    else:
        assert "w: expected [D=3, H] (D from x), got [5, 4]" in refused(compiled, zeros(2, 3), zeros(5, 4))


def test_a_policy_reaches_what_is_compiled_already():
    torch._dynamo.reset()
    compiled = torch.compile(encode, backend="eager")
    given = zeros(4, 10, 8), zeros(4, 12, dtype=torch.bool)
    assert "mask: expected [B=4, T=10]" in refused(compiled, *given)
    with contract.policy("off"):
        assert compiled(*given).shape == (4, 10, 16)
    assert "mask: expected [B=4, T=10]" in refused(compiled, *given)


def test_modules_compile_whole_and_export_with_symbolic_sizes():
    torch._dynamo.reset()
    head = Head()
    assert torch.compile(head, backend="eager", fullgraph=True)(zeros(4, 5, 3)).shape == (4, 5, 2)
    assert torch.compile(promised, backend="eager", fullgraph=True)(zeros(3), 3).shape == (3,)
    program = torch.export.export(head, (zeros(4, 3),), dynamic_shapes={"x": {0: torch.export.Dim("batch")}})
    assert program.module()(zeros(9, 3)).shape == (9, 2)


def test_transforms_of_torch_check_shapes_and_skip_values(both):
    with pytest.warns(ContractWarning, match="multiply: traced") as said:
        batched = torch.func.vmap(both, in_dims=(0, None))(torch.full((6, 2, 3), 7.0), torch.ones(3, 4))
    assert batched.shape == (6, 2, 4)
    assert all(one.filename.startswith((__file__, os.path.dirname(torch.__file__))) for one in said)
    assert "w: expected [D=3, H]" in refused(torch.func.vmap(both), zeros(6, 2, 3), zeros(6, 5, 4))
    slope = torch.func.grad(lambda x: both(x, torch.ones(3, 4)).sum())(torch.full((2, 3), 7.0))
    assert torch.equal(slope, torch.full((2, 3), 4.0))


def test_traced_by_torch_jit_and_meta_tensors(both):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(both, (zeros(2, 3), zeros(3, 4)))
        assert both(torch.empty(2, 3, device="meta"), torch.empty(3, 4, device="meta")).shape == (2, 4)
    assert traced(zeros(2, 3), zeros(3, 4)).shape == (2, 4)


TENSORFLOW = """
import warnings
import tensorflow as tf
import tensan

@tensan.contract("x: f32[B, 3] -> f32[B, 3]", ranges={"x": (-1, 1)})
def larger(x):
    if tf.reduce_sum(x) > 0:  # converted, although it has a contract
        return x
    return -x

def refused(function, x):
    try:
        function(x)
    except tensan.errors.ContractViolation as violation:
        return str(violation)

assert larger(-tf.ones((2, 3))).numpy().min() == 1
assert refused(larger, tf.ones((2, 4))) == "larger: x: expected [B=2, 3], got [2, 4]"
assert refused(larger, tf.fill((2, 3), 7.0)) == "larger: x: expected values from -1 to 1, got 7"
assert refused(larger, tf.ones((2, 3), tf.float64)) == "larger: x: expected f32, got f64[2, 3]"
traced = tf.function(larger)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    assert traced(tf.fill((2, 3), -7.0)).numpy().min() == 7
    open_ = tf.function(larger, input_signature=[tf.TensorSpec((None, 3))])
    assert open_(-tf.ones((5, 3))).shape == (5, 3)
assert [str(one.message).partition(",")[0] for one in told] == ["larger: traced"], told
assert "x: expected [B=2, 3], got [2, 4]" in refused(traced, tf.ones((2, 4)))
print("done")
"""


@pytest.mark.slow
def test_tensorflow_converts_what_has_a_contract_and_checks_shapes_when_it_traces(tmp_path):
    if importlib.util.find_spec("tensorflow") is None:
        pytest.skip("tensorflow is not installed")
    # As a file: TensorFlow reads the source of what it converts.
    (tmp_path / "program.py").write_text(TENSORFLOW)
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.stdout == "done\n", done.stderr
    assert "AutoGraph could not" not in done.stderr


@pytest.mark.filterwarnings("ignore::tensan.contracts.calls.policy.ContractWarning")
def test_what_torch_fx_records_has_no_shape_and_that_is_said(both):
    with pytest.warns(ContractWarning, match="x: traced without a shape, so neither axes nor types are checked"):
        graph = torch.fx.symbolic_trace(both)
    assert torch.equal(graph(torch.ones(2, 3), torch.ones(3, 4)), torch.full((2, 4), 3.0))


def test_jax_traces_shapes_and_skips_values(both):
    jax = pytest.importorskip("jax")
    assert both(jax.numpy.zeros((2, 3)), jax.numpy.ones((3, 4))).shape == (2, 4)
    assert "x: expected values from 0 to 1, got 7" in refused(both, jax.numpy.full((2, 3), 7.0), jax.numpy.ones((3, 4)))
    with pytest.warns(ContractWarning, match="multiply: traced"):
        assert jax.jit(both)(jax.numpy.full((2, 3), 7.0), jax.numpy.ones((3, 4))).shape == (2, 4)
    assert "w: expected [D=3, H] (D from x), got [5, 4]" in refused(jax.jit(both), jax.numpy.zeros((2, 3)), jax.numpy.ones((5, 4)))
    assert "expected f32, got i32" in refused(both, jax.numpy.zeros((2, 3), dtype="int32"), jax.numpy.ones((3, 4)))


# ---- annotations of jaxtyping -----------------------------------------------------------------------------------------


def test_annotations_of_jaxtyping():
    jaxtyping = pytest.importorskip("jaxtyping")
    Float, Bool, Shaped = jaxtyping.Float, jaxtyping.Bool, jaxtyping.Shaped
    Tensor = torch.Tensor

    class Model(nn.Module):
        size = 3

        @contract
        def forward(
            self,
            x: Float[Tensor, "batch time {self.size}"],
            mask: Bool[Tensor, "batch time"] | None = None,
            more: Shaped[Tensor, "*any"] | None = None,
            scale: Float[Tensor, "#batch"] | None = None,
            name: str = "",
        ) -> tuple[Float[Tensor, "batch time 2*size=6"], Shaped[Tensor, "..."]]:
            return torch.cat([x, x], -1), x

    model = Model()
    model(zeros(4, 10, 3), zeros(4, 10, dtype=torch.bool), zeros(1, 2, 3), zeros(1))
    assert "mask: expected [batch=4, time=10] (time from x), got [4, 12]" in refused(model, zeros(4, 10, 3), zeros(4, 12, dtype=torch.bool))
    assert "x: expected [batch=4, time=10, self.size=3], got [4, 10, 5]" in refused(model, zeros(4, 10, 5))
    assert "x: expected Float, got i64" in refused(model, zeros(4, 10, 3, dtype=torch.long))
    assert "scale: expected [batch=4] (batch from x), got [3]" in refused(model, zeros(4, 10, 3), None, None, zeros(3))


@pytest.mark.parametrize("axes", ["", "a", "a b", "a a", "2 _", "...", "*r a", "a ... a", "a a+1", "a *r 2*a", "#a a", "a #a", "3 ... 1"])
def test_axes_fit_as_jaxtyping_has_it_on_every_small_shape(axes):
    jaxtyping = pytest.importorskip("jaxtyping")
    annotation = jaxtyping.Float[np.ndarray, axes]

    @contract
    def function(x: annotation):
        return x

    fits = {}
    for shape in (shape for rank in range(4) for shape in product(range(4), repeat=rank)):
        array = np.zeros(shape)
        try:
            fits[shape] = function(array) is array
        except ContractViolation:
            fits[shape] = False
        assert fits[shape] == isinstance(array, annotation), shape
    assert len(set(fits.values())) == (1 if axes == "..." else 2)


def test_text_goes_before_annotations_and_beartype_may_check_too():
    jaxtyping, beartype = pytest.importorskip("jaxtyping"), pytest.importorskip("beartype")

    @contract("x: f32[B, 3]")
    @jaxtyping.jaxtyped(typechecker=beartype.beartype)
    def double(x: jaxtyping.Float[torch.Tensor, "rows columns"], y: jaxtyping.Float[torch.Tensor, "rows"]):
        return x * y[:, None]

    above = beartype.beartype(contract("x: f32[B, 3]")(double.__wrapped__))
    for function in (double, above):
        assert function(zeros(2, 3), zeros(2)).shape == (2, 3)
    assert "double: x: expected [B=2, 3], got [2, 4]" in refused(double, zeros(2, 4), zeros(2))
    with pytest.raises(jaxtyping.TypeCheckError):
        double(zeros(2, 3), zeros(3))
