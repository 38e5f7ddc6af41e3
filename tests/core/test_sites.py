"""Places: cheap to take, exact to the character, and never in somebody else's file."""

import linecache
import os
import subprocess
import sys
import textwrap

import pytest

from tensan.core import sites
from tensan.core.sites import Location, Site, here, is_users, resolved, shown_path


def program(tmp_path, text, name="train.py"):
    """Runs a program that calls `take()` and returns the places it took."""
    path = tmp_path / name
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    taken = []

    def take(*_):
        taken.append(here(2))
        return 1

    linecache.checkcache(str(path))
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"take": take})
    return taken


def marked(at):
    """The source under the carets."""
    return at.source[at.column - 1 : at.end_column - 1]


@pytest.mark.parametrize(
    "line",
    [
        "x = 1 + take(2)",
        "größe = take('µ') + 1",
        "日本語 = ('漢字', take('字'))",
        "x = ['😀', take('😀😀'), 'é']",
        "x = (lambda: take())()",
    ],
)
def test_carets_stand_under_the_call(tmp_path, line):
    (site,) = program(tmp_path, line + "\n")
    text = marked(site.resolve())
    assert text.startswith("take(")
    assert text.endswith(")")
    assert site.resolve().line == 1


def test_a_call_over_several_lines(tmp_path):
    (site,) = program(tmp_path, "x = take(\n    1,\n    2,\n)\n")
    at = site.resolve()
    assert (at.line, at.column, at.end_line, at.end_column) == (1, 5, 4, 2)


def test_functions_are_named(tmp_path):
    text = """
    class Net:
        def forward(self):
            return take()
    Net().forward()
    take()
    """
    inner, outer = program(tmp_path, text)
    assert inner.resolve().function == "Net.forward"
    assert outer.resolve().function == ""


def test_frames_of_others_are_skipped(tmp_path):
    """A call that goes through the standard library or an installed package stands at the user's line."""
    text = """
    import json
    class Odd:
        pass
    json.dumps([Odd(), Odd()], default=take)
    """
    assert [site.resolve().line for site in program(tmp_path, text)] == [5, 5]
    inside = os.path.dirname(pytest.__file__) + "/made_up.py"
    namespace = {"here": here}
    exec(compile("def take():\n    return here()\n", inside, "exec"), namespace)
    site = namespace["take"]()
    assert site.resolve().path == __file__


def test_no_place_at_all():
    code = "import threading; from tensan.core.sites import here; print(here(0) is not None)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "True"


@pytest.mark.parametrize(
    ("path", "users"),
    [
        (__file__, True),
        (os.__file__, False),
        (pytest.__file__, False),
        (sites.__file__, False),
        ("/opt/other/lib/python3.11/site-packages/package/module.py", False),
        ("/home/me/site-packages.py", True),
        ("<frozen importlib._bootstrap>", False),
        ("<__array_function__ internals>", False),
        ("<stdin>", True),
        ("<string>", True),
        ("<ipython-input-1-abc>", True),
    ],
)
def test_whose_file_it_is(path, users):
    assert is_users(path) is users


def test_a_site_is_small_and_compares():
    def twice():
        return [here() for _ in range(2)]

    first, second = twice()
    assert first == second
    assert hash(first) == hash(second)
    assert first.key == (__file__, first.resolve().line)
    assert first.key[1] == first.resolve().line


def test_source_that_is_gone(tmp_path):
    at = Location(path=str(tmp_path / "gone.py"), line=3)
    assert at.source == ""
    assert str(at).endswith("gone.py:3:1")
    assert resolved(None) is None
    assert resolved(at) is at


def test_code_without_positions():
    code = compile("x = 1\ny = 2\n", "gone.py", "exec")
    at = Site(code, 10_000).resolve()
    assert at.line == 1
    assert at.end_column == 0


def test_paths_are_shown_short(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert shown_path(str(tmp_path / "a" / "b.py")) == os.path.join("a", "b.py")
    assert shown_path(os.path.dirname(str(tmp_path))) == os.path.dirname(str(tmp_path))
