"""What the comparison makes of what other tools say: each is read as it speaks, all are counted alike, and the page says how."""

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def modules(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield lambda name: __import__(name)
    for name in ("corpus", "results", "show", "rivals", "comparison"):
        sys.modules.pop(name, None)


@pytest.fixture
def folder(tmp_path):
    """One fault, which PyTorch warns of and names at a line of its own, and its mended twin."""
    case = tmp_path / "01_case"
    case.mkdir()
    program = "import torch\nprint(torch.nn.functional.mse_loss(torch.ones(3, {}), torch.ones(3)))\n"
    (case / "buggy.py").write_text(program.format(1))
    (case / "fixed.py").write_text("import torch\nx = torch.ones(3)\nprint(torch.nn.functional.mse_loss(x, x))\n")
    (case / "case.json").write_text('{"line": 2}')
    return tmp_path


@pytest.mark.slow
def test_what_pytorch_warns_of_is_seen(modules, folder):
    rivals = modules("rivals")
    (held,) = rivals.measure(folder, sys.executable, only=["PyTorch's own warnings"])
    row = held["tools"]["PyTorch's own warnings"]
    assert (held["faulty"], held["right"]) == (1, 1)
    assert (row["seen"], row["apart"], row["alarms"], row["broke"]) == (1, 1, 0, 0)
    assert row["line"] == 1  # it is the caller of `mse_loss` that is named here
    text = modules("comparison").page({"rivals": held | {"measured": MEASURED}})
    assert "| PyTorch's own warnings |" in text
    assert "| 01 case | line |" in text


@pytest.mark.slow
def test_anomalies_are_read_with_their_line(modules, folder):
    rivals = modules("rivals")
    (folder / "01_case" / "buggy.py").write_text("import torch\ntorch.zeros(2, requires_grad=True).sqrt().mul(0).sum().backward()\n")
    (held,) = rivals.measure(folder, sys.executable, only=["`set_detect_anomaly`"])
    row = held["tools"]["`set_detect_anomaly`"]
    assert (row["seen"], row["line"], row["alarms"], row["broke"]) == (1, 1, 0, 0)


def test_a_tool_that_is_not_there_is_said(modules, folder, monkeypatch):
    rivals = modules("rivals")
    monkeypatch.setitem(rivals.TOOLS, "absent", rivals.Tool("no_such_module", rivals.read_warnings))
    monkeypatch.setitem(rivals.TOOLS, "here", rivals.Tool("pytest", rivals.read_torchfix, lint=("-c", "print('x.py:1:1: TOR401 y')")))
    (held,) = rivals.measure(folder, sys.executable, only=["absent", "here"])
    assert held["missing"] == ["absent"]
    assert held["tools"]["here"]["alarms"] == 1
    assert "not measured: absent." in modules("comparison").page({"rivals": held | {"measured": MEASURED}})


def test_the_page_is_rendered_without_any_figures(modules):
    assert "Nothing has been measured yet." in modules("comparison").page({})


MEASURED = {
    "date": "2026-01-01",
    "commit": "abc",
    "changed": False,
    "machine": {"processors": 2, "load": 1, "python": "3", "torch": "2"},
}
