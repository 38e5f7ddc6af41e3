"""With `TENSAN=0` nothing of torch or of python is touched and no adapter is even imported."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "touched.py"
INSTALL = Path(__file__).parents[2] / "src" / "tensan" / "adapters" / "torch" / "install.py"


def told(folder, *before, **own):
    """Returns what the program tells of itself, by the first word of the line."""
    (folder / "train.py").write_text(PROGRAM.read_text())
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TENSAN")} | own
    words = [sys.executable, *before, "train.py"]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return {line.partition(" ")[0]: line for line in done.stdout.splitlines()}, done.stderr


@pytest.mark.slow
def test_nothing_is_touched(tmp_path):
    bare, _ = told(tmp_path)
    assert bare["patched"] == "patched []"
    assert bare["looked"] == "looked at True"
    assert told(tmp_path, "-m", "tensan", "run", TENSAN="0") == (bare, "")
    assert not (tmp_path / ".tensan").exists()


@pytest.mark.slow
def test_the_program_sees_what_is_touched(tmp_path):
    """Otherwise the test above could not fail."""
    seen, _ = told(tmp_path, "-m", "tensan", "run")
    names = {name.rpartition(".")[2] for name in ast.literal_eval(seen["patched"].removeprefix("patched "))}
    calls = [node for node in ast.walk(ast.parse(INSTALL.read_text())) if isinstance(node, ast.Call) and ast.unparse(node.func) == "patch"]
    replaced = {call.args[1].value for call in calls if isinstance(call.args[1], ast.Constant)}
    assert len(replaced) > 20
    assert replaced <= names, replaced - names
    assert "hooks 0" not in seen["hooks"]
    assert "adapters []" not in seen["adapters"]
