"""A target that cannot start is refused in one line, before any of it has run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tensan.launch.execute import LaunchError, Target, check

LOUD = "open('it_ran.txt', 'w')\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text(LOUD)
    (tmp_path / "package" / "module.py").write_text(LOUD)
    (tmp_path / "dynamic").mkdir()
    (tmp_path / "dynamic" / "__init__.py").write_text(LOUD + "__path__.append('elsewhere')\n")
    (tmp_path / "script.py").write_text(LOUD)
    return tmp_path


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (Target("script", "nope.py"), "can't open file '{folder}/nope.py': [Errno 2] No such file or directory"),
        (Target("script", "script.py/x"), "[Errno 20] Not a directory"),
        (Target("script", "a\0b"), "null byte"),
        (Target("script", ""), "can't find '__main__' module in"),
        (Target("script", "empty"), "can't find '__main__' module in '{folder}/empty'"),
        (Target("module", "nope"), "No module named nope"),
        (Target("module", "nope.below"), "No module named nope"),
        (Target("module", "package.nope"), "No module named package.nope"),
        (Target("module", "script.below"), "'script' is not a package"),
        (Target("module", "package"), "No module named package.__main__; 'package' is a package and cannot be directly executed"),
        (Target("module", ".script"), "relative module names are not supported"),
        (Target("module", ""), "relative module names are not supported"),
    ],
    ids=lambda value: value.name.replace("\0", "0") or "empty" if isinstance(value, Target) else "",
)
def test_refused(target: Target, message: str, folder: Path) -> None:
    with pytest.raises(LaunchError) as refused:
        check(target)
    assert message.format(folder=folder) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not (folder / "it_ran.txt").exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="everything is readable to this user")
def test_unreadable(folder: Path) -> None:
    (folder / "script.py").chmod(0)
    with pytest.raises(LaunchError, match="Permission denied"):
        check(Target("script", "script.py"))


@pytest.mark.parametrize(
    "target",
    [
        Target("script", "script.py"),
        Target("module", "script"),
        Target("module", "package.module"),
        Target("module", "json.tool"),
        Target("module", "dynamic.found_only_at_run_time"),
        Target("code", "not python at all"),
    ],
    ids=lambda target: target.name,
)
def test_let_through_and_not_run(target: Target, folder: Path) -> None:
    before = sys.path[:]
    check(target)
    assert sys.path == before
    assert not (folder / "it_ran.txt").exists()


def test_one_line_and_status_2(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "tensan", "run", "nope.py"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"tensan: error: can't open file '{folder}/nope.py': [Errno 2] No such file or directory\n"
    assert not (folder / ".tensan").exists()
