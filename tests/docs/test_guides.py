"""Each command and each piece of code that a guide shows is run, on the tutorial's program, and says what the guide says it does."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_RUN_STEP = re.compile(r"^- run: (.+)$", re.MULTILINE)
_TRAIN = re.search(r'^```python title="train.py"\n(.*?)^```$', (ROOT / "docs" / "tutorial.md").read_text(), re.MULTILINE | re.DOTALL)
assert _TRAIN is not None
TRAIN = _TRAIN[1]
FOUND = "error[SHP101]: loss compares f32[64, 1] with f32[64]"

#: What must come of each command: its exit status, and what it prints.
COMMANDS = {
    "tensan run train.py": (0, FOUND),
    'tensan run --steps 5 --ask "permute train.py:22" --ask "made train.py:22" train.py': (0, "made train.py:22"),
    "tensan run --steps 200 --fail-on error --json tensan.json train.py": (1, FOUND),
    "tensan run --steps 200 --fail-on error --html tensan.html train.py": (1, FOUND),
    "tensan run --steps 20 --halt-on-error train.py": (0, "script stopped; 0 steps;"),
    "tensan report --follow": (0, "SUMMARY: tensan: "),
    "tensan run --recover rewind --snapshots snapshots train.py": (0, FOUND),
    "tensan snapshots list snapshots": (0, "step"),
    "torchrun --nproc-per-node 2 --no-python tensan run train.py": (0, FOUND),
    "python -m torch.distributed.run --nproc-per-node 2 -m tensan run train.py": (0, FOUND),
    "accelerate launch -m tensan run train.py": (0, FOUND),
    "tensan run --track auto train.py": (0, FOUND),
    "export OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4317 OTEL_EXPORTER_OTLP_PROTOCOL=grpc\n"
    "tensan run --track opentelemetry train.py": (
        0,
        "TEN903: opentelemetry: lost",  # there is no such collector here
    ),
    "pytest --tensan tests/": (1, "error[SHP101] loss compares"),
    "tensan mcp --root ~/project": (0, ""),
    "TENSAN_CONTRACTS=off python train.py": (0, "epoch 9"),
    "TENSAN_STRICT=warn python train.py": (0, "epoch 9"),
}
#: What else is shown, and where it is run.
ELSEWHERE = {"kill -USR1 PID": "tests/cli/test_run.py"}


def shown():
    for guide in GUIDES:
        for language, body in _BLOCK.findall(guide.read_text(encoding="utf-8")):
            lines = body.splitlines() if not language else _RUN_STEP.findall(body) if language == "yaml" else []
            exports = ""
            for line in lines:
                command = re.sub(r"\s+#.*", "", line)
                if command.startswith("export "):
                    exports = f"{command}\n"
                else:
                    yield exports + command
                    exports = ""


SHOWN = dict.fromkeys(shown())


def test_no_command_is_shown_that_nothing_runs():
    ran = [command for command in SHOWN if not command.startswith("pip install")]
    assert set(ran) == {*COMMANDS, *ELSEWHERE}
    for command, test in ELSEWHERE.items():
        assert command.split()[1].lstrip("-") in (ROOT / test).read_text(), f"{test} runs no {command}"


def test_what_is_to_be_installed_is_there():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    asked = {extra for command in SHOWN for extra in re.findall(r"pip install 'tensan\[(\w+)\]'", command)}
    assert asked
    assert asked <= extras.keys()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A user's folder, in which one command follows the other."""
    place = tmp_path_factory.mktemp("user")
    (place / "train.py").write_text(TRAIN)
    (place / "project").mkdir()
    (place / "tests").mkdir()
    (place / "tests" / "test_train.py").write_text(
        "import runpy\n\n\ndef test_it_trains():\n    runpy.run_path('train.py', run_name='__main__')\n"
    )
    return place


@pytest.fixture(scope="module")
def run(folder):
    given = {name: value for name, value in os.environ.items() if not name.startswith(("TENSAN", "GITHUB", "OTEL", "PYTEST"))}
    given |= {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1", "HOME": str(folder)}
    given |= {"OMP_NUM_THREADS": "1", "ACCELERATE_USE_CPU": "1"}

    def start(command):
        return subprocess.run(
            ["bash", "-c", f"{command} 2>&1"], cwd=folder, env=given, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
        )

    return start


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_command(command, run, folder):
    status, said = COMMANDS[command]
    done = run(command)
    assert done.returncode == status, done.stdout
    assert said in done.stdout
    for name in re.findall(r"--(?:json|html) (\S+)", command):
        assert "SHP101" in (folder / name).read_text()
    if "torch" in command.split()[0] or "torch.distributed" in command:
        assert done.stdout.count(FOUND) == 1, "two processes, one report"
        assert done.stdout.count("epoch 9") == 2


SILENCED = {
    "a line": (
        TRAIN.replace("** 2).mean()\n        opt", "** 2).mean()  # tensan: ignore[broadcast-in-loss] all pairs\n        opt"),
        "",
        "",
    ),
    "a file": (f"# tensan: file-ignore[SHP101] all pairs\n{TRAIN}", "", ""),
    "a block of code": (
        TRAIN.replace("        loss = ", '        import tensan\n        with tensan.ignore("SHP101"):\n          loss = '),
        "",
        "",
    ),
    "a run": (TRAIN, "--ignore SHP101", ""),
    "files by pattern": (TRAIN, "", '[tool.tensan.per-file-ignores]\n"*.py" = ["SHP101"]\n'),
    "all that an earlier run told": (TRAIN, "--baseline tensan.json", ""),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", SILENCED)
def test_a_finding_is_silenced(what, run, folder):
    program, flags, settings = SILENCED[what]
    (folder / "silenced.py").write_text(program)
    (folder / "pyproject.toml").write_text(settings)
    if "--baseline" in flags:
        run("tensan run -q --json tensan.json silenced.py")
    done = run(f"tensan run {flags} silenced.py")
    (folder / "pyproject.toml").unlink()
    assert done.returncode == 0, done.stdout
    assert "SHP101" not in done.stdout, done.stdout
    assert "SUMMARY: tensan: " in done.stdout


@pytest.mark.slow
def test_the_notebooks_cells(run, folder):
    """The cells of the guide, around one that trains."""
    cells = [body for language, body in _BLOCK.findall((ROOT / "docs/guides/notebook.md").read_text()) if language == "python"]
    begin, table, data, close, block = cells
    train = "def train():\n" + "".join(f"    {line}\n" for line in TRAIN.splitlines()) + "\n"
    train = train.replace("range(10)", "range(1)")
    (folder / "shell.py").write_text(
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        f"for cell in {[begin, f'{train}train()', table, data, close, block]!r}:\n"
        "    done = shell.run_cell(cell, store_history=True)\n"
        "    assert done.success, done.error_in_exec\n"
        "    print('RESULT', getattr(done.result, '_repr_html_', lambda: done.result)())\n"
    )
    done = run(f"{sys.executable} shell.py")
    assert done.returncode == 0, done.stdout
    _, _, shown, held, closed, within = re.split(r"^RESULT ", done.stdout, flags=re.MULTILINE)[1:]
    assert shown.startswith("<")
    assert "SHP101" in shown
    assert "Report(" in held.splitlines()[0]
    assert done.stdout.count("error[SHP101]") >= 2  # at `close()`, and where the block ends
    assert "Report(" in closed
    assert within


def test_an_agents_configuration_is_one(folder):
    (configuration,) = [body for language, body in _BLOCK.findall((ROOT / "docs/guides/agents.md").read_text()) if language == "json"]
    (server,) = json.loads(configuration)["mcpServers"].values()
    assert " ".join([server["command"], *server["args"][:2]]) == "tensan mcp --root"


def test_the_contracts_hold_and_break_as_shown(tmp_path, monkeypatch):
    """Each piece in turn; where words stand below it, it breaks with these."""
    from tensan.errors import ContractViolation

    monkeypatch.chdir(tmp_path)  # a picture is written

    pieces = [piece for piece in _BLOCK.findall((ROOT / "docs/guides/contracts.md").read_text(encoding="utf-8")) if piece[0]]
    names, broken = {}, 0
    for (language, body), (after, words) in zip(pieces, [*pieces[1:], ("", "")], strict=True):
        if language != "python":
            continue
        if after == "text":
            with pytest.raises(ContractViolation) as raised:
                exec(body, names)
            assert str(raised.value) == words.strip()
            broken += 1
        else:
            exec(body, names)
    assert broken == 4
    (table,) = [body for language, body in pieces if language == "console"]
    assert str(names["shapes"]) == table.strip()
    assert (tmp_path / "tagger.svg").read_text().startswith("<svg")


def test_the_blocks_do_and_refuse_as_shown(tmp_path, monkeypatch):
    """Each piece in turn; where words stand below it, it fails with these, at its entry if it only writes a block down."""
    import tensan
    from tensan.determinism import run_seed, scope

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tensan, "deterministic", run_seed.set_run_seed)  # its switches would stay
    monkeypatch.setattr(run_seed, "_seed", None)
    monkeypatch.setattr(scope, "_process", scope._Process())
    text = (ROOT / "docs/guides/scopes.md").read_text(encoding="utf-8")
    pieces = [piece for piece in _BLOCK.findall(text) if piece[0]]
    names, printed, failed = {}, [], 0
    names["print"] = lambda *values, sep: printed.append(sep.join(map(str, values)))
    for number, ((language, body), (after, words)) in enumerate(zip(pieces, [*pieces[1:], ("", "")], strict=True)):
        if language != "python":
            continue
        path = tmp_path / f"piece{number}.py"  # a file, so that it counts as the user's code
        path.write_text(body)
        if after == "text":
            body += "\nwith block:\n    pass" if body.startswith("block = ") else ""
            with pytest.raises((UserWarning, tensan.errors.DeviceError)) as raised:
                exec(compile(body, path, "exec"), names)
            assert str(raised.value) == words.strip()
            failed += 1
        else:
            exec(compile(body, path, "exec"), names)
            assert after != "console" or printed == [words.strip()]
    assert (failed, len(printed)) == (2, 1)


def test_the_suites_that_the_guide_to_tests_shows_pass():
    """Each parametrised test is run with each of its cases."""
    names, ran = {}, 0
    for language, body in _BLOCK.findall((ROOT / "docs/guides/pytest.md").read_text(encoding="utf-8")):
        if language == "python":
            exec(body, names)
            for test in [value for name, value in names.items() if name.startswith("test_")]:
                (mark,) = test.pytestmark
                for case in mark.args[1]:
                    test(case)
                    ran += 1
            names = {name: value for name, value in names.items() if not name.startswith("test_")}
    assert ran > 50
