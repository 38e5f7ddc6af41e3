"""`import tensan` and all of core, rules and sinks load no framework; and this test could notice if they did."""

import subprocess
import sys

import pytest

FRAMEWORKS = ("torch", "tensorflow", "keras", "jax", "jaxlib", "flax", "optax", "numpy", "onnxruntime", "grpc")

CHECK = """
import importlib, pkgutil, sys
def load(name):
    module = importlib.import_module(name)
    for info in pkgutil.walk_packages(getattr(module, "__path__", ()), name + "."):
        importlib.import_module(info.name)
for name in sys.argv[1].split(","):
    load(name) if name.startswith("tensan.") else importlib.import_module(name)
print(",".join(sorted({name.partition(".")[0] for name in sys.modules} & set(sys.argv[2].split(",")))))
"""


def loaded_by(*names, path=None):
    done = subprocess.run(
        [sys.executable, "-c", CHECK, ",".join(names), ",".join(FRAMEWORKS)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env=None if path is None else {"PYTHONPATH": str(path)},
    )
    return {name for name in done.stdout.strip().split(",") if name}


@pytest.mark.parametrize("names", [("tensan",), ("tensan.core",), ("tensan.rules",), ("tensan.sinks",), ("tensan.cli", "tensan.launch")])
def test_no_framework_is_loaded(names):
    assert loaded_by(*names) == set()


def test_the_check_can_fail(tmp_path):
    """A module that loads a framework behind one's back is noticed."""
    (tmp_path / "jax.py").write_text("")
    (tmp_path / "innocent.py").write_text("import json, jax\n")
    assert loaded_by("innocent", path=tmp_path) == {"jax"}
    assert loaded_by("json", path=tmp_path) == set()


def test_core_stands_on_msgspec_alone():
    code = (
        "import importlib, pkgutil, sys, tensan.core\n"
        "before = set(sys.modules)\n"
        "for info in pkgutil.walk_packages(tensan.core.__path__, 'tensan.core.'): importlib.import_module(info.name)\n"
        "names = {name.partition('.')[0] for name in set(sys.modules) - before if not name.startswith('_sysconfigdata')}\n"
        "print(sorted(names - set(sys.stdlib_module_names) - {'tensan'}))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() in ("['msgspec']", "['msgspec', 'typing_extensions']")
