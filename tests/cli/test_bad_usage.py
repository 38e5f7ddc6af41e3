"""Bad usage is one clear line and exit status 2, before the script starts."""

import os
from pathlib import Path

import pytest

TABLE = {
    "no command": ([], "usage: tensan"),
    "unknown command": (["frob"], "invalid choice: 'frob'"),
    "no script": (["run"], "expected a script, -m module or -c code"),
    "missing script": (["run", "nope.py"], "nope.py': [Errno 2] No such file or directory"),
    "missing module": (["run", "-m", "no_such_module_at_all"], "No module named no_such_module_at_all"),
    "module and code": (["run", "-m", "-c", "pass"], "-m and -c exclude each other"),
    "unknown flag": (["run", "--slect", "OPT", "s.py"], "unknown argument '--slect'; did you mean --select?"),
    "unknown rule": (["run", "--select", "NOP999", "s.py"], "select: unknown rule 'NOP999'"),
    "unknown rule to ignore": (["run", "--ignore", "nothing-like-that", "s.py"], "ignore: unknown rule 'nothing-like-that'"),
    "unknown tracker": (
        ["run", "--track", "mlflow,paper", "s.py"],
        "track: expected auto, mlflow, opentelemetry, tensorboard, wandb, got 'paper'",
    ),
    "unknown format": (["run", "--format", "xml", "s.py"], "format: expected one of agent, concise, full, github, html, json, sarif"),
    "wrong choice": (["run", "--fail-on", "always", "s.py"], "--fail-on: invalid choice: 'always'"),
    "wrong number": (["run", "--steps", "many", "s.py"], "--steps: invalid int value: 'many'"),
    "out of range": (["run", "--error-exitcode", "999", "s.py"], "error-exitcode"),
    "missing baseline": (["run", "--baseline", "gone.json", "s.py"], "gone.json: cannot be read: No such file or directory"),
    "unknown rule to explain": (["explain", "no-such-rule-at-all"], "unknown rule 'no-such-rule-at-all'"),
    "no run yet": (["report"], "holds no run"),
    "missing run": (["report", "gone.jsonl"], "gone.jsonl: cannot be read: No such file or directory"),
    "run of another version": (
        ["report", "other.jsonl"],
        "version 99 of the run file; this tensan reads version 1",
    ),
    "run of another version to compare": (["compare", "other.jsonl", "other.jsonl"], "other.jsonl: was written in version 99"),
    "run of another version to follow": (["report", "--follow", "other.jsonl"], "other.jsonl: was written in version 99"),
    "baseline of another version": (["run", "--baseline", "other.jsonl", "s.py"], "other.jsonl: was written in version 99"),
    "document of another version": (["report", "other.json"], "other.json: was written in schema 99; this tensan reads schema 1"),
    "run cut short to nothing": (["report", "cut.jsonl"], "cut.jsonl: is not a run file of tensan"),
    "empty run": (["report", "empty.jsonl"], "empty.jsonl: is empty"),
    "no run at all": (["report", "s.py"], "s.py: is not a run file of tensan"),
    "folder for a run": (["report", "."], "cannot be read: Is a directory"),
}

#: What lies in the folder: runs that cannot be read.
FILES = {
    "other.jsonl": '{"kind":"start","record":{"version":99}}\n',
    "other.json": '{"schema": 99, "run": {}, "findings": []}',
    "cut.jsonl": '{"kind":"start","record":{"vers',
    "empty.jsonl": "",
}


@pytest.mark.parametrize("words", TABLE)
def test_bad_usage(here, script, words, capsys):
    script("print('started')", "s.py")
    for name, content in FILES.items():
        Path(name).write_text(content)
    arguments, problem = TABLE[words]
    status, out, error = here(*arguments)
    assert status == 2
    assert problem in error
    assert "started" not in out
    assert "Traceback" not in error
    assert len(error.splitlines()) == 1 or not arguments
    assert not Path(".tensan").exists()


CONFIGURATIONS = {
    "unknown key": (b"[tool.tensan]\nfial-on = 'error'\n", "fial-on: unknown key; did you mean fail-on?"),
    "wrong value": (b"[tool.tensan]\noverhead = 'much'\n", "overhead: expected `float`, got `str`, got 'much'"),
    "no table": (b"[tool]\ntensan = 3\n", "expected a table, got 3"),
    "not TOML": (b"[tool.tensan\n", "is not valid TOML"),
    "not text": (b"\xff\xfe\x00", "is not valid TOML"),
    "unknown rule with options": (b"[tool.tensan.rules.nothing-like-that]\nx = 1\n", "nothing-like-that: unknown rule"),
    "unknown rule for files": (b"[tool.tensan]\nper-file-ignores = {'*.py' = ['NOP999']}\n", "per-file-ignores: unknown rule 'NOP999'"),
}


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_bad_configuration(here, script, kind):
    script("print('started')", "s.py")
    content, problem = CONFIGURATIONS[kind]
    Path("pyproject.toml").write_bytes(content)
    status, out, error = here("run", "s.py")
    assert (status, out) == (2, "")
    assert problem in error
    assert len(error.splitlines()) == 1


def test_another_tools_table_is_none_of_ours(here, script):
    Path("pyproject.toml").write_text("tool = 3\n")
    status, _, error = here("run", "--select", "NOP999", script("pass"))
    assert (status, "NOP999" in error) == (2, True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_configuration(here, script):
    path = Path("pyproject.toml")
    path.write_text("")
    path.chmod(0)
    status, _, error = here("run", script("pass"))
    assert (status, "cannot be read: Permission denied" in error) == (2, True)


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="needs a file that nobody can read from its beginning")
@pytest.mark.parametrize("words", [("run", "s.py"), ("report",), ("compare",), ("doctor", "--check")])
def test_configuration_that_not_even_root_can_read(here, script, words):
    script("print('started')", "s.py")
    Path("pyproject.toml").symlink_to("/proc/self/mem")
    status, out, error = here(*words)
    assert (status, out) == (2, "")
    assert error.startswith("tensan: error: ")
    assert "pyproject.toml: tool.tensan: cannot be read: Input/output error" in error
    assert len(error.splitlines()) == 1


def test_unknown_variable(here, script, monkeypatch):
    monkeypatch.setenv("TENSAN_OVERHAED", "3")
    status, _, error = here("run", script("pass"))
    assert status == 2
    assert "did you mean TENSAN_OVERHEAD?" in error


def test_options_of_a_rule_are_checked(tensan, script):
    Path("pyproject.toml").write_text("[tool.tensan.rules.clip-too-late]\nmax-cuont = 3\n")
    done = tensan("run", script("print('started')"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "tool.tensan.rules: clip-too-late: object contains unknown field `max-cuont`" in done.stderr
