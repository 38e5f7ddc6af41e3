"""The audit of real models: symbols and shapes, what is found, and that nothing of the model, the example or the random state moves."""

import copy
import random
from xml.etree import ElementTree

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


class Two(nn.Module):
    """An encoder and a head by their sizes."""

    def __init__(self, head, *, encoder=None):
        super().__init__()
        self.encoder, self.head = encoder or nn.Linear(8, 128), head

    def forward(self, x):
        found = self.head(self.encoder(x))
        return found[0] if isinstance(found, tuple) else found


@pytest.mark.parametrize(
    ("model", "example", "words"),
    [
        (
            Two(nn.Linear(768, 2)),
            torch.randn(4, 8),
            "head (Linear) takes 768 features and was given 128: with Linear(128, 768) before it the model runs",
        ),
        (
            Two(nn.GRU(64, 16, batch_first=True)).double(),
            torch.randn(4, 5, 8).double(),
            "head (GRU) takes 64 features and was given 128: with Linear(128, 64) before it the model runs",
        ),
        (
            Two(nn.Conv2d(3, 4, 3), encoder=nn.Conv2d(1, 16, 3)),
            torch.randn(2, 1, 9, 9),
            "head (Conv2d) takes 3 features and was given 16: with Conv2d(16, 3, 1) before it the model runs",
        ),
        (
            nn.Linear(5, 2),
            torch.randn(4, 8),
            "the model (Linear) takes 5 features and was given 8: with Linear(8, 5) before it the model runs",
        ),
    ],
)
def test_a_layer_that_does_not_fit_is_told_with_what_would(model, example, words):
    state = torch.get_rng_state()
    with pytest.raises(UsageError) as refused:
        audit(model, example)
    assert str(refused.value).endswith(f"; {words}")
    assert torch.equal(torch.get_rng_state(), state)


def test_what_does_not_help_is_not_offered():
    """Behind the first layer that does not fit stands another one; and where features are not what is wrong, nothing is said of them."""
    for model, example, end in (
        (
            Two(nn.Sequential(nn.Linear(768, 2), nn.Linear(3, 1))),
            torch.randn(4, 8),
            "; head.0 (Linear) takes 768 features and was given 128",
        ),
        (Two(nn.BatchNorm1d(64)), torch.randn(4, 8), ""),
        (Two(nn.Embedding(9, 2)), torch.randn(4, 8), ""),
    ):
        with pytest.raises(UsageError) as refused:
            audit(model, example)
        assert "before it" not in str(refused.value)
        assert str(refused.value).endswith(end)
        assert ("features" in str(refused.value)) == bool(end)


# ---- the picture ----


def drawn(result):
    """Returns the boxes of a picture with their texts and places, and how many lines there are."""
    root = ElementTree.fromstring(result.svg())
    space = "{http://www.w3.org/2000/svg}"
    boxes = []
    for group in root.iter(f"{space}g"):
        rect = group.find(f"{space}rect")
        assert rect is not None
        x, y, width, height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
        boxes.append((group.get("class"), [text.text for text in group.iter(f"{space}text")], (x, y, x + width, y + height)))
    lines = [path.get("d") for path in root.iter(f"{space}path") if path.get("class") == "edge"]
    return root, boxes, lines


class Skips(nn.Module):
    """A block with a way around it, a second input, and one that is not used."""

    def __init__(self):
        super().__init__()
        self.into, self.norm, self.out = nn.Linear(8, 16), nn.LayerNorm(16), nn.Linear(16, 2)

    def forward(self, x, scale, unused):
        hidden = self.into(x)
        hidden = hidden + self.norm(hidden) * scale
        return self.out(hidden.T.T.relu_()), hidden


def flow(result):
    names = list(result._audited.given)
    return [
        (call.kind, [names[-1 - source] if source is not None and source < 0 else source for source in call.sources])
        for call in result.calls
    ]


@pytest.mark.parametrize("values", [False, True])
def test_the_flow_is_known(values):
    class Branches(Skips):
        def forward(self, x, scale, unused):
            return super().forward(x, scale, unused) if x.sum() < 1e9 else x

    model, example = (Branches if values else Skips)(), (torch.randn(4, 8), torch.randn(4, 1), torch.randn(4))
    result = audit(model, example)
    assert bool(result.note) == values
    kinds = dict(flow(result))
    at = {kind: number for number, (kind, _) in enumerate(flow(result))}
    assert kinds["Linear"] == [at["relu"]]
    assert flow(result)[at["LayerNorm"] - 1][0] == "Linear"
    assert kinds["LayerNorm"] == [at["LayerNorm"] - 1]
    assert kinds["mul"] == [at["LayerNorm"], "scale"]
    assert kinds["add"] == [at["LayerNorm"] - 1, at["mul"]]
    assert kinds["relu"] == [at["add"]], "a transposed view is what it was made of"
    assert result._audited.returned == (len(result.calls) - 1, at["add"]), "the tensor itself, though a view of it was written to"
    assert result._audited.given == {"x": "[B, 8]", "scale": "[B, 1]", "unused": "[B]"}


def test_the_picture_has_each_call_each_shape_and_each_way():
    result = audit(Skips(), (torch.randn(4, 8), torch.randn(4, 1), torch.randn(4)))
    _, boxes, lines = drawn(result)
    texts = [(kind, *lines) for kind, lines, _ in boxes]
    assert texts[:3] == [("given", "x", "[B, 8]"), ("given", "scale", "[B, 1]"), ("given unused", "unused", "[B]")]
    assert ("layer", "into Linear", "[B, 16]") in texts
    assert ("operation", "mul", "[B, 16]") in texts
    assert texts[-1] == ("returned", "returned")
    assert len(boxes) == 3 + len(result.calls) + 1
    assert len(lines) == 1 + 1 + 2 + 2 + 1 + 1 + 2, "into, norm, mul, add, relu, out, returned"


@pytest.mark.parametrize(
    ("model", "example"),
    [
        (Skips(), (torch.randn(4, 8), torch.randn(4, 1), torch.randn(4))),
        (nn.Linear(4, 2), torch.randn(3, 4)),
        (nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.AdaptiveAvgPool2d(1), nn.Flatten()), torch.randn(5, 3, 16, 12)),
        (
            nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2, enable_nested_tensor=False),
            torch.randn(4, 6, 16),
        ),
        (nn.LSTM(4, 3, batch_first=True), torch.randn(5, 6, 4)),
        (Model(lambda self, x, other: (x * other).sum(1)), (torch.randn(4, 6), torch.randn(4, 6))),
    ],
)
def test_boxes_stand_apart_inside_and_hold_their_texts(model, example):
    result = audit(model, example)
    root, boxes, lines = drawn(result)
    width, height = float(root.get("width")), float(root.get("height"))
    for number, (_, texts, (left, top, right, bottom)) in enumerate(boxes):
        assert left >= 0
        assert top >= 0
        assert right <= width
        assert bottom <= height
        assert all(len(text) * 7.3 <= right - left for text in texts)
        for _, _, (other_left, other_top, other_right, other_bottom) in boxes[number + 1 :]:
            assert right <= other_left or other_right <= left or bottom <= other_top or other_bottom <= top
    assert lines
    assert all(any(source is not None for source in call.sources) for call in result.calls), "each call is reached"


def test_the_picture_escapes_all_and_is_in_the_notebooks_page():
    result = audit(nn.Sequential(type("<b>&\u202e", (nn.Linear,), {})(4, 2)), torch.randn(3, 4))
    assert "<b>" not in result.svg()
    assert "\u202e" not in result.svg()
    assert "0 &lt;b&gt;&amp;" in result.svg()
    assert result.svg() in result._repr_html_()


def test_the_picture_is_the_same_for_the_same_model():
    pictures = {audit(Skips(), (torch.randn(4, 8), torch.randn(4, 1), torch.randn(4))).svg() for _ in range(2)}
    assert len(pictures) == 1
