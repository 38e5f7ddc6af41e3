"""The default device while a block runs: nested, in threads, after exceptions, where something is left; devices that are not there."""

import subprocess
import sys
import threading
import warnings

import pytest
import torch
import torch.utils._device

import tensan
from tensan.contracts.scopes.device import DeviceLeak
from tensan.core.errors import UsageError
from tensan.errors import DeviceError


def made():
    return torch.empty(1).device.type


@pytest.fixture(autouse=True)
def outside_is_as_before():
    yield
    assert torch.overrides._get_current_function_mode_stack() == []
    assert getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None) is None
    assert torch.utils._device.CURRENT_DEVICE is None
    assert made() == "cpu"


def test_nested_blocks_and_an_explicit_device():
    with tensan.device("meta"):
        assert made() == "meta"
        with tensan.device(torch.device("cpu")):
            assert made() == "cpu"
        assert made() == torch.nn.Linear(2, 2).weight.device.type == "meta"
        assert torch.empty(1, device="cpu").device.type == "cpu"
    assert made() == "cpu"


def test_one_block_is_entered_again_and_within_itself():
    block = tensan.device("meta")
    with block:
        with block:
            assert made() == "meta"
        assert made() == "meta"
    assert made() == "cpu"
    with block:
        assert made() == "meta"


def test_it_decorates():
    @tensan.device("meta")
    def build(size):
        return torch.nn.Linear(size, 2)

    assert build(3).weight.device.type == "meta"
    assert build.__name__ == "build"


def test_what_runs_after_its_call_is_refused():
    def rows():
        yield made()

    async def wait():
        return made()

    for function in (rows, wait):
        with pytest.raises(UsageError, match=r"tensan.device\('meta'\): .* is a generator or a coroutine"):
            tensan.device("meta")(function)


def test_an_exception_leaves_nothing():
    with pytest.raises(ZeroDivisionError), tensan.device("meta"):
        raise ZeroDivisionError
    assert made() == "cpu"


def test_other_threads_do_not_see_it():
    seen, inside, go_on = [], threading.Event(), threading.Event()

    def other():
        with tensan.device("meta"):
            inside.set()
            go_on.wait(20)
            seen.append(made())
        seen.append(made())

    thread = threading.Thread(target=other)
    thread.start()
    inside.wait(20)
    assert made() == "cpu"
    with tensan.device("cpu"):
        go_on.set()
        thread.join()
        assert made() == "cpu"
    assert seen == ["meta", "cpu"]


@pytest.mark.parametrize("left", ["meta", "cpu", None])
@pytest.mark.parametrize("before", ["meta", "cpu", None])
@pytest.mark.parametrize("around", ["meta", None])
@pytest.mark.parametrize("fails", [True, False])
def test_a_default_that_is_left_behind_is_put_back_and_told(left, before, around, fails):
    """In every order of setters and blocks around it; without us torch forgets some of them, which is what the last lines look at."""
    torch.set_default_device(before)
    set_before = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
    outer = torch.device(around) if around else None
    try:
        if outer is not None:
            outer.__enter__()
        modes = torch.overrides._get_current_function_mode_stack()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            error = None
            try:
                with tensan.device("meta"):
                    torch.set_default_device(left)
                    if fails:
                        raise LookupError("mine")
            except (LookupError, AssertionError) as raised:  # torch itself refuses to set within a block where one was set before
                error = raised
        assert torch.overrides._get_current_function_mode_stack() == modes
        assert getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None) is set_before
        assert made() == (around or before or "cpu")
        words = [str(each.message) for each in told if each.category is DeviceLeak]
        if fails or error is not None:
            assert error is not None
            assert not words, "the exception passes as it is"
            words = getattr(error, "__notes__", [])
        if left is None and before is None:
            assert not words, "nothing was set"
        else:
            assert len(words) == 1
            assert words[0].startswith("tensan.device('meta'): the default device was set to ")
    finally:
        if outer is not None:
            outer.__exit__(None, None, None)
        torch.set_default_device(None)


def test_the_warning_is_at_the_users_line():
    with pytest.warns(DeviceLeak, match="was set to meta inside of it and not put back") as told, tensan.device("cpu"):
        torch.set_default_device("meta")
    assert told[0].filename == __file__


def test_a_block_that_puts_its_default_back_is_told_nothing(recwarn):
    with tensan.device("meta"), torch.device("cpu"):
        assert made() == "cpu"
    with tensan.device("meta"):
        with torch.device("cpu"):
            assert made() == "cpu"
        assert made() == "meta"
    assert not [each for each in recwarn if each.category is DeviceLeak]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is one")
def test_a_device_that_is_not_there_is_refused_at_the_entry():
    with pytest.raises(DeviceError, match=r"tensan.device\('cuda:7'\): there is no such device: torch finds none of type 'cuda'"):
        tensan.device("cuda:7").__enter__()


@pytest.mark.parametrize("name", ["gpu", "cuda:x", "", 1.5, None])
def test_what_is_no_device_is_refused_where_it_is_written(name):
    with pytest.raises(UsageError, match=r"^tensan.device\("):
        tensan.device(name)


PROGRAM = """
import sys, tensan
from tensan.core.errors import UsageError
from tensan.errors import DeviceError
for name in ("cuda:0", "/GPU:0"):
    try:
        tensan.device(name)
        raise SystemExit("passed")
    except UsageError as error:
        print(error)
assert not {"torch", "tensorflow"} & set(sys.modules)
if sys.argv[1:]:
    import tensorflow as tf
    with tensan.device("/CPU:0"):
        print(tf.constant(1.0).device.rpartition("/")[2])
    with tensan.device("/cpu"):
        print(tf.constant(1.0).device.rpartition("/")[2])
    with tf.device("/GPU:7"):
        print("silently", tf.constant(1.0).device.rpartition("/")[2])
    try:
        with tensan.device("/GPU:7"):
            raise SystemExit("passed")
    except DeviceError as error:
        print(error)
    try:
        tensan.device("/GPU:x")
    except UsageError as error:
        print("refused")
"""


@pytest.mark.parametrize("tensorflow", [(), ("tensorflow",)])
def test_frameworks_are_not_imported_by_it_and_tensorflow_says_nothing_of_a_device_that_is_not_there(tensorflow):
    if tensorflow:
        pytest.importorskip("tensorflow")
    done = subprocess.run([sys.executable, "-c", PROGRAM, *tensorflow], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-2000:]
    first, second, *rest = done.stdout.splitlines()
    assert first == "tensan.device('cuda:0'): torch, whose device it names, is not imported yet"
    assert second == "tensan.device('/GPU:0'): tensorflow, whose device it names, is not imported yet"
    if tensorflow:
        assert rest == [
            "device:CPU:0",
            "device:CPU:0",
            "silently device:CPU:0",
            "tensan.device('/GPU:7'): there is no such device, and TensorFlow would run on another one: it has /CPU:0",
            "refused",
        ]


def test_a_watched_run_tells_what_was_left(tmp_path, watched):
    program = tmp_path / "train.py"
    program.write_text(
        "import warnings\nwarnings.simplefilter('ignore')\nimport torch, tensan\n"
        "with tensan.device('cpu'):\n    torch.set_default_device('meta')\nassert torch.empty(1).device.type == 'cpu'\n"
    )
    outcome = watched(program)
    assert outcome.status == 0, outcome.stderr
    assert [note for note in outcome.report.run.notes if "was set to meta inside of it" in note]
