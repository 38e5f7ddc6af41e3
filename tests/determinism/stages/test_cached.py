"""Results that are kept: read where nothing has changed, made anew where anything has, never half written, and stale ones told."""

import dataclasses
import enum
import json
import random
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

import tensan
from tensan.core.errors import UsageError
from tensan.determinism.cache.digest import digest_of
from tensan.determinism.cache.stage import CachedStage, StageWarning


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


#: Program texts are run from files, since what counts is the user's own code.
def program(folder, text, name="program"):
    path = folder / f"{name}.py"
    path.write_text(text)
    names = {"__name__": name}
    exec(compile(text, path, "exec"), names)
    return names


STAGE = """
import tensan
LIMIT = 10

def helper(x):
    return x + 1

class Tool:
    def apply(self, x):
        return x * 2

@tensan.cached(version=1)
def stage(x, power=2):
    return min(Tool().apply(helper(x)) ** power, LIMIT)
"""


def test_it_is_read_by_the_same_and_by_another_process(folder):
    names = program(folder, STAGE)
    assert names["stage"](1) == 10
    assert names["stage"].last == "computed"
    assert names["stage"](x=1, power=2) == 10
    assert names["stage"].last == "read"
    again = program(folder, STAGE)["stage"]
    assert (again(1), again.last) == (10, "read")
    code = "from program import stage\nprint(stage(1), stage.last)"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.stdout == "10 read\n", done.stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("version=1", "version=2"),
        ("version=1", "version='1'"),
        ("** power", "+ power"),
        ("x + 1", "x + 2"),
        ("x * 2", "x * 3"),
        ("LIMIT = 10", "LIMIT = 11"),
        ("power=2)", "power=3)"),
    ],
)
def test_what_invalidates(folder, old, new):
    program(folder, STAGE)["stage"](1)
    assert old in STAGE
    stage = program(folder, STAGE.replace(old, new))["stage"]
    stage(1)
    assert stage.last == "computed"


@pytest.mark.parametrize(("old", "new"), [("def helper", "# a word\n\ndef helper"), ("LIMIT = 10", "LIMIT = 10\nOTHER = 3")])
def test_what_does_not_invalidate(folder, old, new):
    program(folder, STAGE)["stage"](1)
    stage = program(folder, STAGE.replace(old, new))["stage"]
    stage(1)
    assert stage.last == "read"


def test_what_is_not_seen_is_named(folder):
    text = """
import io, json, torch, tensan
from pathlib import Path
MODEL, LIMIT, STREAM = torch.nn.Linear(2, 2), 3, io.StringIO()

def helper(x):
    return MODEL(x)

@tensan.cached(version=1)
def stage(x):
    return STREAM, json.dumps(LIMIT), Path("x"), torch.ones(1), len([]), helper(x)
"""
    assert program(folder, text)["stage"].unseen == ("STREAM", "MODEL")
    assert program(folder, STAGE)["stage"].unseen == ()


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Options:
    size: int
    names: tuple[str, ...] = ()


VALUES = [
    None, True, 1, 1.0, "1", b"1", 1j, -0.0, 0.0, 0, False, float("nan"), (), [], {}, set(), (1,), [1], ((1,),),
    ["ab"], ["a", "b"], {"a": 1},
    {"a": "1"}, {"a": 1, "b": 2}, {"b": 2, "a": 1}, {1, 2}, frozenset({1, 2}), Colour.RED, Colour.BLUE, Options(1), Options(1, ("a",)),
    Path("nowhere"), np.arange(3), np.arange(3.0), np.arange(3)[::-1], np.arange(4).reshape(2, 2), np.arange(4).reshape(2, 2).T,
    np.float32(1), np.float64(1), np.array(["a"]), torch.arange(3), torch.arange(3).int(), torch.arange(3.0), torch.arange(4).view(2, 2),
    torch.arange(4).view(2, 2).t(), torch.zeros(0), torch.zeros(0, 1), torch.ones(2, dtype=torch.bfloat16), torch.half,
    torch.ones(2, dtype=torch.complex64), torch.ones(2).requires_grad_(), torch.ones(2), torch.float32, np.dtype("f4"), torch.device("cpu"),
]  # fmt: skip


def test_digests_are_equal_for_what_is_equal_alone():
    digests = [digest_of(value, where="x") for value in VALUES]
    assert len(set(digests)) == len(VALUES)
    assert digest_of({3, 1, 2}, where="x") == digest_of({2, 3, 1}, where="x")
    assert digest_of(torch.arange(6)[::2], where="x") == digest_of(torch.tensor([0, 2, 4]), where="x")
    assert digest_of(np.arange(4).reshape(2, 2).T, where="x") == digest_of(np.array([[0, 2], [1, 3]]), where="x")


@pytest.mark.parametrize(
    "value", [object(), {"a": [object()]}, torch.nn.Linear(1, 1), np.array([object()]), torch.zeros(2, device="meta"), open]
)
def test_an_argument_without_a_digest_is_refused(value):
    @tensan.cached(version=1)
    def stage(x):
        return 1

    with pytest.raises(UsageError, match=r"test_cached\..*stage: x.*has no digest; allowed are None, numbers"):
        stage(value)


KEPT = {
    "numbers": (1, 2.5, float("inf"), -0.0, True, None, 3 + 2j, "ü\udc80", b"\0\xff", 10**40),
    "containers": {"a": [1, (2, [3, ()])], 1: "one", None: {}, (1, 2): "pair"},
    "arrays": {"f": np.arange(6.0).reshape(2, 3).T, "text": np.array(["a", "bc"]), "scalar": np.float32(0.1), "empty": np.zeros((0, 2))},
    "tensors": [torch.arange(6).view(2, 3).t(), torch.ones(2).bfloat16(), torch.tensor(3), torch.arange(10**5)[:2], torch.ones(1) > 0],
}  # fmt: skip


def same(one, other):
    if type(one) is not type(other):
        return False
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, (np.ndarray, np.generic)):
        return one.dtype == other.dtype and one.shape == other.shape and bool((one == other).all())
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other)


@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_comes_back(name, folder):
    @tensan.cached(version=1)
    def stage(which):
        return KEPT[which]

    assert stage(name) is KEPT[name]
    assert same(stage(name), KEPT[name])
    assert stage.last == "read"
    written = list((folder / ".tensan/stages").rglob("*.*"))
    assert {each.suffix for each in written if each.is_file()} <= {".json", ".npy", ".pt"}
    assert sum(each.stat().st_size for each in written) < 100_000, "of a view its own values alone"


@pytest.mark.parametrize(
    "value", [object(), [torch.ones(1, requires_grad=True)], {1, 2}, np.array([object()]), torch.nn.Parameter(torch.ones(1))]
)
def test_a_result_that_cannot_be_kept_is_refused(value, folder):
    @tensan.cached(version=1)
    def stage():
        return value

    with pytest.raises(UsageError, match=r"its result.* cannot be kept; allowed are None, numbers"):
        stage()
    assert not [each for each in (folder / ".tensan").rglob("*") if each.is_file()]


def test_files_and_functions_that_it_depends_on(folder):
    (folder / "words").mkdir()
    (folder / "words/a.txt").write_text("a")
    (folder / "list.txt").write_text("one")

    def rule(x):
        return x

    @tensan.cached(version=1, depends=["words", Path("list.txt"), rule])
    def stage(path):
        return path.read_text()

    def again():
        stage(folder / "given.txt")
        return stage.last

    (folder / "given.txt").write_text("x")
    assert [again(), again()] == ["computed", "read"]
    for path in ("words/a.txt", "words/b.txt", "list.txt", "given.txt"):
        (folder / path).write_text("changed")
        assert [again(), again()] == ["computed", "read"], path
    (folder / "words/b.txt").rename(folder / "words/c.txt")
    assert again() == "computed"
    with pytest.raises(UsageError, match=r"depends: 'nothing.txt' is no file that is there"):
        tensan.cached(version=1, depends=["nothing.txt"])


CHAIN = """
import tensan

@tensan.cached(version=1)
def tokens(text):
    return text.split()

@tensan.cached(version=1)
def counted(text):
    return len(STAGES["tokens"](text))

@tensan.cached(version=1)
def doubled(text):
    return 2 * STAGES["counted"](text)

@tensan.cached(version=1)
def named(text):
    return len(tokens(text))

@tensan.cached(version=1, depends=[tokens])
def said(text):
    return len(text)

STAGES = {"tokens": tokens, "counted": counted}
"""


def test_a_stale_read_is_found_and_told(folder):
    """Stages that are called through a table, which code does not show; where it is shown or said, it is not kept under that key at all."""
    names = program(folder, CHAIN)
    for name in ("doubled", "named", "said"):
        names[name]("a b c")
        names[name]("a b c")
        assert names[name].last == "read"
    names = program(
        folder, CHAIN.replace("version=1)\ndef tokens(text):\n    return text.split()", "version=2)\ndef tokens(text):\n    return [text]")
    )
    with pytest.warns(
        StageWarning, match=r"program.doubled: what was kept is stale: it read program.tokens, .*\(version 2\): computed again"
    ) as told:
        assert names["doubled"]("a b c") == 2
    assert [each.filename for each in told if "doubled" in str(each.message)] == [__file__]
    assert names["doubled"].last.startswith("computed again: what was kept is stale")
    for name, result in (("named", 1), ("said", 5)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert names[name]("a b c") == result
        assert names[name].last == "computed"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert names["doubled"]("a b c") == 2
    assert names["doubled"].last == "read"


def only_entry(folder):
    (entry,) = [each for each in (folder / ".tensan/stages").glob("*/*") if each.is_dir()]
    return entry


def damage_array(entry):
    path = entry / "0.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (damage_array, "0.npy is not what was written"),
        (lambda entry: (entry / "0.npy").unlink(), "0.npy cannot be read"),
        (lambda entry: (entry / "record.json").write_text("{"), "record.json cannot be read"),
        (lambda entry: (entry / "record.json").write_text("[]"), "record.json is no record"),
        (lambda entry: (entry / "record.json").unlink(), "record.json is missing"),
    ],
)
def test_what_is_damaged_is_told_and_made_anew(folder, damage, words):
    @tensan.cached(version=1)
    def stage():
        return np.arange(3)

    stage()
    damage(only_entry(folder))
    with pytest.warns(StageWarning, match=words):
        assert stage().tolist() == [0, 1, 2]
    assert stage.last.startswith("computed again: ")
    assert stage().tolist() == [0, 1, 2]
    assert stage.last == "read"


def test_no_code_is_run_by_what_lies_there(folder):
    """Tensors are read as `weights_only`, also where somebody has put an object there, with its hash."""
    import hashlib

    @tensan.cached(version=1)
    def stage():
        return torch.ones(1)

    stage()
    entry = only_entry(folder)
    torch.save({"x": Path("x")}, entry / "0.pt")
    record = json.loads((entry / "record.json").read_text())
    record["files"]["0.pt"] = hashlib.sha256((entry / "0.pt").read_bytes()).hexdigest()
    (entry / "record.json").write_text(json.dumps(record))
    with pytest.warns(StageWarning, match="0.pt cannot be read"):
        assert stage().tolist() == [1]


KILLED = """
import os, sys, time, tensan
import numpy as np
from tensan.determinism.cache import files

@tensan.cached(version=1)
def stage(x):
    return [np.full(1000, x + number) for number in range(20)]

if sys.argv[1] == "killed":
    synced, count = os.fsync, [0]
    def fsync(number):
        synced(number)
        count[0] += 1
        if count[0] == 10:
            print("half", flush=True)
            time.sleep(60)
    os.fsync = fsync
result = stage(3)
print(stage.last, sum(int(each[0]) for each in result), stage.clear())
"""


def test_a_process_that_is_killed_while_it_writes_leaves_nothing_that_is_read(folder):
    (folder / "killed.py").write_text(KILLED)
    process = subprocess.Popen([sys.executable, "killed.py", "killed"], cwd=folder, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    left = list((folder / ".tensan/stages").glob("*/*"))
    assert len(left) == 1, "half of it lies there"
    done = subprocess.run([sys.executable, "killed.py", "whole"], cwd=folder, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("computed 250 0\n", "")
    assert not left[0].exists()
    done = subprocess.run([sys.executable, "killed.py", "whole"], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.stdout == "read 250 0\n"


def test_processes_that_compute_at_once_both_get_it(folder):
    head = "import tensan, time\n"
    text = head + "@tensan.cached(version=1)\ndef stage():\n    time.sleep(0.5)\n    return list(range(1000))\nprint(sum(stage()))\n"
    (folder / "both.py").write_text(text)
    processes = [subprocess.Popen([sys.executable, "both.py"], cwd=folder, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate(timeout=60)[0] for process in processes] == ["499500\n"] * 3
    assert len(list((folder / ".tensan/stages").glob("*/*"))) == 1


def test_a_stage_that_changes_its_argument_is_told_and_not_kept():
    @tensan.cached(version=1)
    def stage(x):
        x += 1
        return x * 2

    for _ in range(2):
        with pytest.warns(StageWarning, match="it changes its argument"):
            assert stage(torch.ones(2)).tolist() == [4, 4]
        assert stage.last == "computed"


def test_a_stage_that_draws_is_told_and_one_with_its_own_generators_is_not(recwarn):
    @tensan.cached(version=1)
    def stage(x):
        return x + random.random() + float(torch.rand(1))

    with pytest.warns(StageWarning, match=r"it moves the global generators \(python, torch\)"):
        stage(1)

    @tensan.cached(version=2)
    @tensan.scope("shuffle")
    def quiet(x):
        return x + random.random()

    before = len(recwarn)
    quiet(1)
    assert quiet(1) == quiet(1)
    assert len(recwarn) == before


def test_what_is_never_read_again_is_removed(folder):
    names = program(folder, STAGE)
    names["stage"](1), names["stage"](2)
    assert names["stage"].clear() == 0
    stage = program(folder, STAGE.replace("version=1", "version=2"))["stage"]
    stage(1)
    assert stage.clear() == 2
    assert (stage(1), stage.last) == (10, "read")


def test_methods_recursion_and_exceptions():
    @dataclasses.dataclass
    class Reader:
        size: int

        @tensan.cached(version=1)
        def read(self, x):
            return self.size + x

    assert Reader(2).read(3) == 5
    assert Reader(4).read(3) == 7
    assert isinstance(Reader.read, CachedStage)

    @tensan.cached(version=1)
    def factorial(n):
        return n * factorial(n - 1) if n else 1

    assert factorial(5) == 120
    assert factorial(6) == 720

    @tensan.cached(version=1)
    def fails():
        raise LookupError("mine")

    for _ in range(2):
        with pytest.raises(LookupError, match="mine"):
            fails()


def test_what_cannot_be_is_refused_where_it_is_written():
    def rows():
        yield 1

    with pytest.raises(UsageError, match="rows is a generator or a coroutine"):
        tensan.cached(version=1)(rows)
    with pytest.raises(UsageError, match="is no function"):
        tensan.cached(version=1)(3)
    with pytest.raises(UsageError, match=r"version: expected a number or text, got 1.5"):
        tensan.cached(version=1.5)


def test_no_framework_is_imported(folder):
    code = (
        "import sys, tensan\n@tensan.cached(version=1)\ndef stage(x):\n    return [x]\nstage(1)\nassert stage(1) == [1]\n"
        "print(sorted({'torch', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr
