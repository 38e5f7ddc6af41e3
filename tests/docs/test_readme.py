"""What the README's first screen shows is what `make demo` prints, and the project holds what it says of itself."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from importlib import resources
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
#: What differs from machine to machine.
_VARIES = re.compile(r"\d+ of \d+(?= rules armed)|(?<=overhead )[\d.]+|(?<== seen: ).*")
_ELISION = re.compile(r"\[\.\.\. (?:(\d+) lines|the script's own output) \.\.\.\]")


def pattern(shown):
    """Returns what output must match: `[... 7 lines ...]` stands for just so many, and the tail of a block may be left out."""
    lines = []
    for line in shown.rstrip("\n").split("\n"):
        left_out = _ELISION.fullmatch(line)
        if not line:
            lines.append("(?:.+\n)*?\n")
        elif left_out is None:
            lines.append(re.escape(_VARIES.sub("~", line)) + "\n")
        else:
            lines.append("(?:.*\n)" + (f"{{{left_out[1]}}}" if left_out[1] else "*?"))
    return "".join(lines)


def printed(program):
    done = subprocess.run(
        [sys.executable, "-m", "tensan", "run", program], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def accuracy(text):
    return float(re.search(r"final accuracy: ([\d.]+)%", text)[1])


@pytest.mark.slow
def test_the_first_screen_is_what_the_demo_prints():
    pytest.importorskip("sklearn")
    shown = re.search(r"^```text\n\$ tensan run (\S+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert README[: shown.end()].count("\n") < 45
    out = printed(shown[1])
    assert re.fullmatch(pattern(shown[2]), _VARIES.sub("~", out)), out
    mended = printed("demo/digits_right.py")
    assert mended.splitlines()[-1].startswith("SUMMARY: tensan: 0 findings; ")
    # What the text says of the two, of which only so much is the same on all machines.
    told = [float(number) for number in re.findall(r"(?:accuracy of|reaches) ([\d.]+) %", README)]
    assert len(told) == 2
    for wrong, right in (told, (accuracy(out), accuracy(mended))):
        assert wrong < 90 < 95 < right


def test_the_twin_differs_by_the_three_mistakes_alone():
    wrong, right = (ast.parse((ROOT / "demo" / f"digits_{name}.py").read_text()).body[1:] for name in ("mistakes", "right"))
    differ = {each.name for each, other in zip(wrong, right, strict=True) if ast.dump(each) != ast.dump(other)}
    assert differ <= {"DigitNet", "train_one_epoch", "main"}
    changed = set("\n".join(map(ast.unparse, wrong)).splitlines()) ^ set("\n".join(map(ast.unparse, right)).splitlines())
    assert len(changed) <= 8


@pytest.mark.parametrize("words", ["make demo", "make test", "## What it catches", "## What it costs", "## Limits", "tensan run train.py"])
def test_the_readme_says(words):
    assert words in README


def test_four_dependencies_and_no_more():
    names = {re.match(r"[\w-]+", each)[0] for each in PROJECT["project"]["dependencies"]}
    assert names == {"msgspec", "wrapt", "rich", "jinja2"}
    assert PROJECT["project"]["requires-python"] == ">=3.11"


def test_extras_name_frameworks_and_concerns():
    extras = set(PROJECT["project"]["optional-dependencies"])
    assert {"torch", "jax", "numpy", "keras", "tensorflow", "onnxruntime"} <= extras
    assert {"opentelemetry", "wandb", "mlflow", "tensorboard", "lightning", "transformers", "accelerate", "ipython", "pytest"} <= extras


POINTS = {
    f"{group}: {name}": place
    for group, points in (PROJECT["project"]["entry-points"] | {"scripts": PROJECT["project"]["scripts"]}).items()
    for name, place in points.items()
}


@pytest.mark.parametrize("point", POINTS)
def test_entry_points_lead_somewhere(point):
    module, _, name = POINTS[point].partition(":")
    library = {"lightning": "lightning", "wandb": "wandb", "mlflow": "mlflow", "tensorboard": "tensorboard"}.get(point.rpartition(" ")[2])
    if library is not None:
        pytest.importorskip(library)
    found = importlib.import_module(module)
    assert not name or callable(getattr(found, name))


def test_types_are_for_users_too():
    assert (resources.files("tensan") / "py.typed").is_file()
    assert PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["src/tensan"]


def test_checks_and_ci_agree():
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    assert {"demo", "test", "bench", "check"} <= targets
    ci = (ROOT / ".ci" / "run").read_text()
    assert "for target in check demo test" in ci
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    for tool in ("ruff check", "ruff format", "pyright", "lint-imports"):
        assert tool in hooks
        assert f"$(BIN)/{tool}" in makefile
    done = subprocess.run([sys.executable, "-m", "pre_commit", "validate-config", str(ROOT / ".pre-commit-config.yaml")], check=False)
    assert done.returncode == 0
