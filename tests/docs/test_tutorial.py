"""A newcomer's walk through docs/tutorial.md: each file is saved, each edit made, each command run, and what it prints compared."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"

_BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
#: What differs from machine to machine and from run to run.
_VARIES = re.compile(
    r"(?<=held-out error )[\d.]+|\d+ of \d+(?= rules armed)|(?<=overhead )[\d.]+|(?<== seen: ).*|(?<=unchanged \()[\d.e+-]+"
    r"|(?<=fix: held-out loss ).*"
)


def steps():
    for language, title, text in _BLOCK.findall(TUTORIAL.read_text(encoding="utf-8")):
        if language == "console":
            commands = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
            yield from (("run", *command.split("\n", 1)) for command in commands)
        elif title:
            yield "save", title, text
        elif language == "diff":
            yield "apply", "", text


def pattern(shown):
    """Returns what output must match: `[...]` stands for any lines."""
    lines = ["(?:.*\n)*?" if line == "[...]" else re.escape(_VARIES.sub("~", line)) + "\n" for line in shown.rstrip("\n").split("\n")]
    return "".join(lines) if shown else ""


def held_out_errors(printed):
    return [float(number) for number in re.findall(r"held-out error ([\d.]+)", printed)]


@pytest.mark.slow
def test_each_command_prints_what_the_tutorial_shows(tmp_path):
    # The command as a user has it, beside this very interpreter.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TENSAN", "GITHUB"))}
    environment |= {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    errors = []
    for what, name, text in steps():
        if what == "save":
            (tmp_path / name).write_text(text, encoding="utf-8")
            continue
        command, given = ("git apply -", text) if what == "apply" else (name, "")
        done = subprocess.run(
            ["bash", "-c", f"{command} 2>&1"], input=given, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        errors.append(held_out_errors(done.stdout))
        if what == "run":
            is_as_shown = re.fullmatch(pattern(text), _VARIES.sub("~", done.stdout))
            assert is_as_shown, f"$ {command}\n{done.stdout}\n--- but the tutorial shows\n{text}"
    # What the text says of the mistakes: nothing was learned, and then it was.
    as_written, *_, mended = [run for run in errors if len(run) == 10]
    assert min(as_written) > 5 * mended[-1]
