"""The audit of real models: symbols and shapes, what is found, and that nothing of the model, the example or the random state moves."""

import copy
import random

import numpy as np
import pytest
import torch
from torch import nn

from tensan.core.errors import UsageError
from tensan.shapes import audit


class Model(nn.Module):
    """Layers by name, and what is done with them."""

    def __init__(self, forward, **layers):
        super().__init__()
        self._forward = forward
        for name, layer in layers.items():
            setattr(self, name, layer)

    def forward(self, x, other=None):
        return self._forward(self, x) if other is None else self._forward(self, x, other)


def shapes(result):
    return [(call.path, call.kind, call.inputs, call.outputs) for call in result.calls]


def test_a_perceptron():
    result = audit(nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2)), torch.randn(4, 8))
    assert shapes(result) == [
        ("0", "Linear", ("[B, 8]",), {"": "[B, 16]"}),
        ("1", "ReLU", ("[B, 16]",), {"": "[B, 16]"}),
        ("2", "Linear", ("[B, 16]",), {"": "[B, 2]"}),
    ]
    assert [call.parameters for call in result.calls] == [144, 0, 34]
    assert (result.parameters, result.findings, result.note) == (178, [], "")
    assert result.axes == {"B": "input axis 0 (4 in the example)"}
    assert str(result).splitlines()[1] == "0      Linear  [B, 8]   [B, 16]  144"


def test_flattening_fixes_the_size_of_the_image():
    model = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(4 * 8 * 8, 10))
    result = audit(model, torch.randn(5, 3, 16, 16))
    assert [finding.partition(":")[0] for finding in result.findings] == ["input axis 2 is fixed to 16", "input axis 3 is fixed to 16"]
    assert "with 32, 3 raises RuntimeError" in result.findings[0]
    assert result.calls[0].outputs == {"": "[B, 4, 16, 16]"}
    free = audit(nn.Sequential(model[0], nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 10)), torch.randn(5, 3, 16, 12))
    assert (free.findings, list(free.axes)) == ([], ["B", "H", "W"])
    assert free.calls[0].outputs == {"": "[B, 4, H, W]"}


def test_a_convolution_with_a_stride():
    strided = nn.Sequential(nn.Conv2d(3, 4, 3, stride=2), nn.Conv2d(4, 4, 1))
    assert audit(strided, torch.randn(5, 3, 16, 12)).calls[1].inputs == ("[B, 4, ((H - 3)//2) + 1, ((W - 3)//2) + 1]",)


@pytest.mark.parametrize("training", [True, False])
def test_a_transformer_over_any_batch_and_length(training):
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 1, enable_nested_tensor=False)
    result = audit(nn.Sequential(nn.Embedding(100, 16), encoder).train(training), torch.zeros(4, 10, dtype=torch.long))
    assert (result.findings, result.note) == ([], "")
    assert result.calls[0].outputs == {"": "[B, T, 16]"}
    assert ("1.layers.0.linear1", "Linear", ("[B, T, 16]",), {"": "[B, T, 32]"}) in shapes(result)
    assert ("1.layers.0", "add", ("[B, T, 16]", "[B, T, 16]"), {"": "[B, T, 16]"}) in shapes(result)


def test_a_recurrent_layer_returns_a_tuple_and_export_fixes_its_length():
    model = Model(lambda self, x: self.head(self.lstm(x)[0]), lstm=nn.LSTM(16, 8, batch_first=True), head=nn.Linear(8, 3))
    result = audit(model, torch.randn(4, 10, 16))
    assert result.calls[0].outputs == {"0": "[B, T, 8]", "1.0": "[1, B, 8]", "1.1": "[1, B, 8]"}
    assert result.findings == ["lstm (LSTM) returns a container (tuple): 0, 1.0, 1.1"]
    assert result.note.startswith("torch.export fixes x axis 1 to 10, but the model runs with 20; the symbols come from runs of copies")


def test_a_batch_that_is_baked_in():
    result = audit(Model(lambda self, x: self.head(x.view(32, -1)), head=nn.Linear(8, 3)), torch.randn(32, 8))
    (finding,) = result.findings
    assert finding.startswith("x axis 0 is fixed to 32: with 64, head raises RuntimeError")
    assert result.axes == {}


def test_positions_that_bound_the_length_are_told_as_bound():
    model = Model(lambda self, x: x + self.at.weight[: x.shape[1]], at=nn.Embedding(10, 4))
    result = audit(model, torch.randn(4, 10, 4))
    assert result.axes["T"] == "x axis 1 (10 in the example, more fails)"
    assert result.findings == []
    fixed = audit(Model(lambda self, x: x + self.at.weight, at=nn.Embedding(10, 4)), torch.randn(4, 10, 4))
    assert [finding.partition(":")[0] for finding in fixed.findings] == ["x axis 1 is fixed to 10"]


def test_what_is_never_used():
    model = Model(lambda self, x, other: self.head(x), head=nn.Linear(8, 3), left=nn.Linear(8, 3))
    result = audit(model, {"x": torch.randn(4, 8), "other": torch.randn(4, 8)})
    assert result.findings == ["no output depends on the values of other", "left (Linear): its parameters are never used"]


def test_a_branch_on_values_is_told_from_runs():
    model = Model(lambda self, x: self.head(x) if x.sum() > 0 else self.other(x), head=nn.Linear(8, 3), other=nn.Linear(8, 3))
    result = audit(model, torch.ones(6, 8))
    assert ("head", "Linear", ("[B, 8]",), {"": "[B, 3]"}) in shapes(result)
    assert result.note.startswith("a copy without values cannot run (")
    assert result.note.endswith("; the symbols come from runs of copies with values with other sizes")


def test_tied_weights_and_a_layer_that_is_called_twice():
    model = Model(lambda self, x: self.out(self.block(self.block(self.into(x)))), into=nn.Embedding(50, 8), block=nn.Linear(8, 8))
    model.out = nn.Linear(8, 50, bias=False)
    model.out.weight = model.into.weight
    result = audit(model, torch.zeros(4, 6, dtype=torch.long))
    assert [call.path for call in result.calls] == ["into", "block", "block", "out"]
    assert result.calls[-1].outputs == {"": "[B, T, 50]"}
    assert (result.parameters, result.findings) == (50 * 8 + 72, [])


def test_a_dict_comes_out():
    model = Model(lambda self, x: {"logits": self.head(x), "norm": x.norm()}, head=nn.Linear(8, 3))
    result = audit(model, torch.randn(4, 8))
    assert result.findings == ["the model (Model) returns a container (dict): logits, norm"]


def test_weights_that_are_not_made_yet():
    model = nn.LazyLinear(4)
    result = audit(model, torch.randn(6, 8))
    assert result.calls[-1].outputs == {"": "[B, 4]"}
    assert result.note
    assert model.has_uninitialized_params()


def test_a_model_without_layers_is_told_by_its_operations():
    result = audit(Model(lambda self, x, other: (x * other).sum(1)), (torch.randn(4, 6), torch.randn(4, 6)))
    assert shapes(result) == [("", "mul", ("[B, T]", "[B, T]"), {"": "[B, T]"}), ("", "sum", ("[B, T]",), {"": "[B]"})]


def test_an_output_that_export_does_not_know():
    class Out:
        pass

    result = audit(Model(lambda self, x: (self.head(x), Out())[1], head=nn.Linear(8, 3)), torch.randn(4, 8))
    assert result.calls[0].outputs == {"": "[B, 3]"}
    assert result.note.startswith("torch.export cannot take the model (")


def test_nothing_moves():
    model = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Dropout(), nn.Linear(8, 2))
    model(torch.randn(4, 8)).sum().backward()
    model[3].eval()
    counted = []
    model.register_forward_hook(lambda *_: counted.append(1))
    example = torch.randn(4, 8, requires_grad=True)
    state = copy.deepcopy(model.state_dict())
    gradients = [parameter.grad.clone() for parameter in model.parameters()]
    drawn, python, numpy = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].copy()
    keys = [list(vars(part)) for part in model.modules()]

    assert audit(model, example).calls[1].outputs == {"": "[B, 8]"}

    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
    assert model.state_dict()["1.num_batches_tracked"] == 1
    assert all(torch.equal(parameter.grad, was) for parameter, was in zip(model.parameters(), gradients, strict=True))
    assert [part.training for part in model.modules()] == [True, True, True, True, False]
    assert torch.equal(torch.get_rng_state(), drawn)
    assert (random.getstate() == python, (np.random.get_state()[1] == numpy).all()) == (True, True)
    assert [list(vars(part)) for part in model.modules()] == keys
    assert not model[0]._forward_hooks
    assert example.grad is None


def test_nothing_moves_where_copies_run_with_values():
    def forward(self, x):
        self.calls += 1
        return self.norm(torch.dropout(x, 0.5, True)) if x.sum() > 0 else x

    model = Model(forward, norm=nn.BatchNorm1d(8))
    model.calls = 0
    drawn = torch.get_rng_state()
    assert audit(model, torch.ones(4, 8)).note
    assert (model.calls, int(model.norm.num_batches_tracked)) == (0, 0)
    assert torch.equal(torch.get_rng_state(), drawn)


def test_a_page_of_a_notebook_escapes_all():
    page = audit(nn.Sequential(type("<b>", (nn.Linear,), {})(4, 2)), torch.randn(3, 4))._repr_html_()
    assert "<td>&lt;b&gt;</td><td>[B, 4]</td>" in page
    assert "<b>" not in page


@pytest.mark.parametrize(
    ("model", "example", "words"),
    [
        (print, torch.zeros(1), "model: builtin_function_or_method is not allowed; allowed is a torch.nn.Module"),
        (torch.jit.script(nn.Linear(2, 2)), torch.zeros(4, 2), "model: a ScriptModule is not allowed"),
        (nn.Linear(2, 2), 3, "example: int holds no tensor; allowed: a tensor, a tuple, a dict"),
        (nn.Linear(2, 2), torch.zeros(4, 3), "example: the model cannot take it: RuntimeError"),
    ],
)
def test_what_is_refused(model, example, words):
    with pytest.raises(UsageError, match=words):
        audit(model, example)
