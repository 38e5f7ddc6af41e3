"""Runs the command line, in this process where nothing of a script runs, in another where it does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("TENSAN") or name == "RANK"]:
        monkeypatch.delenv(name)
    return tmp_path


@pytest.fixture
def script(tmp_path):
    def write(text, name="train.py"):
        (tmp_path / name).write_text(text)
        return name

    return write


@pytest.fixture
def command():
    """The words that start `tensan` with the rules and the framework of `programs/`."""
    return [sys.executable, str(PROGRAMS / "with_tinyframe.py")]


@pytest.fixture
def tensan(tmp_path, command):
    """Runs `tensan` in a process of its own."""

    def run(*words, env=None, **options):
        environment = os.environ | {"PYTHONPATH": str(PROGRAMS)} | (env or {})
        return subprocess.run([*command, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, **options)

    return run


@pytest.fixture
def here(capsys):
    """Runs `tensan` in this process: for commands that start no script."""
    from tensan.cli.main import main

    def run(*words):
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        shown = capsys.readouterr()
        return ended.value.code, shown.out, shown.err

    return run
