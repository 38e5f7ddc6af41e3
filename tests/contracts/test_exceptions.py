"""Real exceptions of real frameworks: which class each is, that nothing of it is lost, and that ordinary exceptions are left alone.

The files `raising/*_known.py` were there when the laws were written. Two rounds were written after that and scored once, at 67 of 82 and
at 48 of 57; the laws were mended by them, and they are `*_learned.py` and `*_learned2.py` now. `*_held_out.py` were written after the
mended laws had been committed, and no law was changed since: 30 of 34.
"""

import json
import os
import pickle
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from tensan import errors
from tensan.contracts.exceptions import origin
from tensan.contracts.exceptions.translate import translated as of_both
from tensan.core.faults import taxonomy

RAISING = Path(__file__).parent / "raising"
FRAMEWORKS = ("torch", "jax", "tensorflow", "keras", "onnxruntime", "grpc")


@cache
def ran(package):
    """Runs all exceptions of a framework in one process: to import it is what takes long."""
    for each in {"python": ("torch",), "tensorflow": ("tensorflow", "keras"), "onnxruntime": ("onnxruntime", "onnx")}.get(
        package, (package,)
    ):
        if find_spec(each) is None:
            pytest.skip(f"{each} is not installed")
    prefixes = ("tensorflow", "keras") if package == "tensorflow" else (package,)
    done = subprocess.run(
        [
            sys.executable,
            str(RAISING / "harness.py"),
            *(str(path) for prefix in prefixes for path in sorted(RAISING.glob(f"{prefix}_*.py"))),
        ],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return tuple(json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"file"'))


def rows(framework, *rounds):
    told = ran("tensorflow" if framework == "keras" else framework)
    return [row for row in told if row["file"] in [f"{framework}_{each}" for each in rounds]]


def check(told):
    """Returns those of another class than meant; all must have been raised, and nothing of any may be lost."""
    assert len(told) >= 3
    assert not [row["name"] for row in told if row["raised"] is None], "each of them raises"
    assert not [row["name"] for row in told if not row["untouched"]], "looked at, and left as it was"
    assert not [row["name"] for row in told if not row["kept"]], "translated: of both classes, the same words, the raw one as its cause"
    return [(row["file"], row["name"], row["got"], row["says"]) for row in told if row["got"] not in row["expected"]]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_known_exceptions_are_classified(framework):
    assert not check(rows(framework, "known", "learned", "learned2"))


def test_nineteen_of_twenty_are_right_and_of_those_held_out_four_of_five():
    held_out = [row for framework in FRAMEWORKS for row in rows(framework, "held_out")]
    told = [*held_out, *(row for framework in FRAMEWORKS for row in rows(framework, "known", "learned", "learned2"))]
    assert len(check(held_out)) <= 0.2 * len(held_out), check(held_out)
    assert len(check(told)) <= 0.05 * len(told), check(told)


def test_ordinary_exceptions_are_left_alone():
    assert not check(rows("python", "known"))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_each_has_a_hint_and_an_explanation(framework):
    for row in rows(framework, "known", "learned", "learned2"):
        assert row["hint"]
        assert row["phase"] in list(errors.Phase)
        assert row["explained"].startswith("error[ERR")
        assert f"{row['file']}.py" in row["explained"], "the place is the user's own line"


def test_they_are_many_and_of_many_kinds():
    told = [row for framework in FRAMEWORKS for row in rows(framework, "known", "learned", "learned2", "held_out")]
    held_out = [row for row in told if row["file"].endswith("held_out")]
    assert len(told) >= 60
    assert len({(row["raised"], row["got"]) for row in told}) >= 40
    assert len(held_out) >= 30


@pytest.mark.parametrize(
    ("name", "retryable"), [("nobody_there", True), ("too_late", False), ("argument_refused", False), ("exhausted", False)]
)
def test_what_may_be_tried_again(name, retryable):
    assert next(row for row in rows("grpc", "known") if row["name"] == name)["retryable"] is retryable


# ---- the class itself ----


class RemoteError(RuntimeError):
    """Takes other arguments than it keeps, as the exceptions of gRPC and TensorFlow do."""

    __module__ = "torch.distributed"

    def __init__(self, *, status):
        super().__init__("mat1 and mat2 shapes cannot be multiplied (4x5 and 3x2)", status)
        self.status = status

    def __str__(self):
        return f"{self.args[0]} [{self.status}]"


def translated(error):
    try:
        with errors.translate():
            raise error
    except Exception as raised:  # noqa: BLE001 - whatever comes out is looked at
        return raised
    return None


def test_translation_is_of_both_classes_and_says_the_same():
    raw = RemoteError(status=7)
    raw.add_note("a note")
    told = translated(raw)
    assert isinstance(told, errors.ShapeMismatchError)
    assert isinstance(told, RemoteError)
    assert told.__cause__ is raw
    assert (str(told), told.args, told.status, told.__notes__) == (str(raw), raw.args, 7, ["a note"])
    assert told.hint
    assert told.layer == "data"


def test_a_translated_exception_survives_the_way_to_another_process():
    raw = RuntimeError("mat1 and mat2 shapes cannot be multiplied (4x5 and 3x2)")
    told = of_both(raw, errors.classify(raw))
    told.__cause__ = raw
    again = pickle.loads(pickle.dumps(told))
    assert isinstance(again, errors.ShapeMismatchError)
    assert str(again) == str(raw)
    assert type(again.__cause__) is RuntimeError


def test_what_lies_outside_of_the_dictionary_is_kept():
    verdict = errors.classify(RemoteError(status=1))
    # One that never blocked has no `characters_written`.
    for raw in (OSError(2, "gone", "file"), StopIteration(3), UnicodeDecodeError("utf-8", b"x", 0, 1, "why"), KeyError("k")):
        told = of_both(raw, verdict)
        names = [
            name for name in dir(raw) if not name.startswith("_") and name != "characters_written" and not callable(getattr(raw, name))
        ]
        assert [getattr(told, name) for name in names] == [getattr(raw, name) for name in names]
        assert isinstance(told, type(raw))


def test_ours_and_those_that_end_the_program_pass_as_they_are():
    for error in (errors.OutOfMemory("full"), KeyError("k")):
        assert translated(error) is error
    with pytest.raises(KeyboardInterrupt), errors.translate():
        raise KeyboardInterrupt
    assert errors.classify(errors.OutOfMemory("full")).error is errors.OutOfMemory
    assert errors.classify(KeyboardInterrupt()) is None


def test_it_decorates():
    @errors.translate()
    def fails():
        raise RemoteError(status=1)

    with pytest.raises(errors.ShapeMismatchError):
        fails()


def test_an_exception_that_cannot_be_printed_is_classified_by_its_class():
    class OutOfMemoryError(RuntimeError):
        __module__ = "torch"

        def __str__(self):
            raise ValueError("no words")

    assert errors.classify(OutOfMemoryError()).error is errors.OutOfMemory


def test_the_innermost_module_tells_the_phase():
    def frames(module):
        space = {"__name__": module}
        exec("def fail():\n    raise RuntimeError('x')", space)
        try:
            space["fail"]()
        except RuntimeError as error:
            return error

    assert origin.phase(frames("torch.autograd.graph")) == errors.Phase.BACKWARD
    assert origin.phase(frames("torch.autograd_of_mine")) is None


def test_every_class_says_what_it_is():
    codes = [kind.code for kind in taxonomy()]
    assert len(set(codes)) == len(codes)
    for kind in taxonomy():
        assert kind.__doc__
        assert kind.__doc__.partition("\n")[0].endswith(".")
        assert kind is errors.Fault or kind.hint
    assert issubclass(errors.ShapeMismatchError, RuntimeError)


def test_classifying_loads_no_framework():
    code = (
        "import sys\nfrom tensan import errors\n"
        "error = type('OutOfMemoryError', (RuntimeError,), {'__module__': 'torch'})('x')\n"
        "assert errors.classify(error).error is errors.OutOfMemory\nerrors.explain(error)\n"
        "frameworks = {'torch', 'jax', 'tensorflow', 'keras', 'onnxruntime', 'grpc', 'numpy'}\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & frameworks))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
