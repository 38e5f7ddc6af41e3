"""Raise-path coverage: every site of a forty-site module is found, nearly all are come to, and what modes make of them is named."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from contracts.breaking import fixture, helpers

from tensan.contracts.raising.paths import raise_paths
from tensan.contracts.raising.sites import RaiseSite, sites_in, sites_of
from tensan.contracts.raising.table import text

MASK = torch.ones(4, 6, dtype=torch.bool)
MASK[:, 4:] = False
EXAMPLE = (torch.randn(4, 6, 4, generator=torch.Generator().manual_seed(0)), MASK, 2.0)


def test_every_site_is_found():
    written = {*sites_in(fixture.__file__), *sites_in(helpers.__file__)}
    assert len(written) == 40
    assert set(sites_of(fixture.Model())) == written


def test_nearly_all_are_come_to():
    found = raise_paths(fixture.Model(), EXAMPLE, modes=())
    assert len(found.hit) >= 36
    assert {path.site.text for path in found.paths if path.variant is None} <= {
        "raise RefusedError('never')",
        "assert x.shape[-1] == 8, 'eight features'",
    }
    assert found.text().splitlines()[-1].split() == ["TOTAL", "40", "2", "95%"]


@pytest.mark.slow  # compiles it for each of them
def test_what_becomes_of_all_of_them_compiled_whole_and_exported():
    """Compiled with breaks they stay what they are; whole they are refused; values decide some, so that it cannot be exported or traced."""
    found = raise_paths(fixture.Model(), EXAMPLE)
    assert [path for path in found.paths if path.variant is not None] == list(found.changed)
    assert len(found.changed) >= 36
    for path in found.changed:
        assert path.modes == {
            "compile": "",
            "fullgraph": f"{path.raised} becomes Unsupported",
            "export": "the module is refused: GuardOnDataDependentSymNode",
            "trace": "the module is refused: RuntimeError",
        }
        assert str(path.site) in found.text()


def test_what_becomes_of_those_that_shapes_decide_exported_and_traced():
    """A part of the fixture that can be exported: each of its sites becomes another exception there, and vanishes in a trace."""
    found = raise_paths(fixture.Sizes(4), EXAMPLE[:1], modes=("export", "trace"))
    assert len(found.changed) == len(found.paths) == 12
    for path in found.changed:
        assert path.modes == {"export": f"{path.raised} becomes AssertionError", "trace": f"{path.raised} is lost: the call returns"}


class LeavesOutCompiled(torch.nn.Module):
    """Two checks, one of which is left out where the program is compiled or exported, as is often advised."""

    def forward(self, x):
        if not torch.compiler.is_compiling() and x.isnan().any():
            raise ArithmeticError("NaN")
        if x.dtype == torch.float64:
            raise TypeError("doubles")
        return x * 2


def test_a_site_that_vanishes_compiled_and_exported_is_named():
    nan, doubles = raise_paths(LeavesOutCompiled(), (torch.zeros(2, 3),), modes=("compile", "export")).paths
    assert nan.modes == dict.fromkeys(("compile", "export"), "ArithmeticError is lost: the call returns")
    assert doubles.modes["compile"] == ""
    assert doubles.modes["export"]


def test_a_refusal_of_the_compiler_is_not_taken_for_the_programs_own_runtime_error():
    class Refuses(torch.nn.Module):
        def forward(self, x):
            if x.shape[0] == 1:
                raise RuntimeError("one sample")
            return x

    (path,) = raise_paths(Refuses(), (torch.zeros(2, 3),), modes=("compile", "fullgraph")).paths
    assert path.modes == {"compile": "", "fullgraph": "RuntimeError becomes Unsupported"}


def test_more_inputs_may_be_given():
    without = raise_paths(Small(), (torch.zeros(2, 3),), modes=())
    given = raise_paths(Small(), (torch.zeros(2, 3),), inputs=[(torch.full((2, 3), 77.0),)], modes=())
    assert len(given.hit) == len(without.hit) + 1 == 2


class Small(torch.nn.Module):
    """Refuses other widths, and one number."""

    def forward(self, x):
        if x.shape[1] != 3:
            raise ValueError("three features")
        if x[0, 0] == 77:
            raise LookupError("not this one")
        return x * 2


class Width(torch.nn.Module):
    """Refuses other widths, and can be exported."""

    def forward(self, x):
        if x.shape[1] != 3:
            raise LookupError("three features")
        return x * 2


def test_what_modes_make_of_an_exception():
    (path,) = raise_paths(Width(), (torch.zeros(2, 3),)).paths
    assert path.raised == "LookupError"
    assert path.modes["compile"] == ""
    assert path.modes["fullgraph"] == "LookupError becomes Unsupported"
    assert path.modes["export"].startswith("LookupError becomes ")
    assert path.modes["trace"] == "LookupError is lost: the call returns"


def test_a_module_that_a_mode_refuses_is_said_to_be_refused():
    paths = raise_paths(Small(), (torch.zeros(2, 3),), modes=("export",)).paths
    assert paths[0].modes["export"].startswith("the module is refused: ")


def test_table_follows_coverage():
    sites = [RaiseSite("a.py", 3, 3, "raise A"), RaiseSite("a.py", 7, 8, "raise B"), RaiseSite("b.py", 1, 1, "assert c")]
    assert text(sites, {sites[0], sites[2]}) == (
        "Name    Raises Miss  Cover   Missing\n"
        "------------------------------------\n"
        "a.py         2    1    50%   7\n"
        "b.py         1    0   100%\n"
        "------------------------------------\n"
        "TOTAL        3    1    67%"
    )


PROGRAM = """
def check(x):
    if x < 0:
        raise ValueError("below zero")
    if x > 9:
        raise ValueError("too large")
    try:
        assert x != 5, "five"
    except AssertionError:
        return 0
    if x == 7:
        raise KeyError(
            "seven",
        )
    return x
"""
TESTS = """
import pytest
from program import check

@pytest.mark.parametrize("x", [-1, 10])
def test_raises(x):
    with pytest.raises(ValueError):
        check(x)

def test_five():
    assert check(5) == 0

def test_right():
    assert check(3) == 3
"""


@pytest.mark.parametrize("processes", [(), ("-n", "2")])
def test_pytest_reports(tmp_path, processes):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "test_program.py").write_text(TESTS)
    options = ["-q", "-p", "no:cacheprovider", "--raise-cov", "program.py", "--raise-cov-report", "term", "--raise-cov-report", "html:out"]
    ran = subprocess.run([sys.executable, "-m", "pytest", *options, *processes], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "program.py        4    1    75%   12" in ran.stdout
    assert "Raise coverage HTML written to out/index.html" in ran.stdout
    index = (tmp_path / "out/index.html").read_text()
    assert "75%" in index
    page = (tmp_path / "out/f0_program.html").read_text()
    assert page.count('class="run"') == 3
    assert page.count('class="mis"') == 3


def test_wrong_options_are_refused(tmp_path):
    for options, words in (
        (["--raise-cov", "no.py"], "no.py: no such file"),
        (["--raise-cov", ".", "--raise-cov-report", "xml"], "'xml'; allowed are"),
    ):
        ran = subprocess.run([sys.executable, "-m", "pytest", *options], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert words in ran.stderr, ran.stderr
        assert not list(Path(tmp_path).glob("html*"))
