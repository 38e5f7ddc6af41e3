"""Each program runs bare and watched; its output, its files and its exit status must be the same.

Both runs happen at one path, since paths show in tracebacks. `python` stands for the interpreter in a command; what
follows it goes to the interpreter where it comes before `run`, and is the target after it.
"""

# ruff: noqa: E501 - short programs stand on one line each, so that the table can be read as one

from __future__ import annotations

import os
import py_compile
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

import pytest

ADDRESS = re.compile(r"0x[0-9a-f]+")
WATCHED = ("-m", "tensan", "run", "-q")
COMMAND = (str(Path(sys.executable).parent / "tensan"), "run", "-q")


@dataclass(frozen=True)
class Case:
    """One program: `shows` must be in the bare run's output, so that no case can be empty."""

    name: str
    source: str = ""
    target: tuple[str, ...] = ("script.py",)
    flags: tuple[str, ...] = ()
    files: dict[str, str | bytes] = field(default_factory=dict)
    make: Callable[[Path], None] | None = None
    stdin: str = ""
    folder: str = "."
    environment: dict[str, str] = field(default_factory=dict)
    status: int = 0
    shows: str = ""
    door: tuple[str, ...] = WATCHED
    marks: tuple[pytest.MarkDecorator, ...] = ()


def _zip(folder: Path) -> None:
    with zipfile.ZipFile(folder / "app.zip", "w") as archive:
        archive.writestr("__main__.py", "import sys, helper\nprint(__name__, __file__, sys.argv, sys.path[0])\nhelper.fail()\n")
        archive.writestr("helper.py", "def fail():\n    raise ValueError('in an archive')\n")


def _compiled(folder: Path) -> None:
    (folder / "plain.py").write_text("import sys\nprint(__file__, type(__loader__).__name__, sys.argv)\n1 / 0\n")
    py_compile.compile(str(folder / "plain.py"), cfile=str(folder / "plain.pyc"), doraise=True)


def _link(folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "real" / "script.py").write_text("import sys, beside\nprint(sys.argv, __file__, sys.path[0])\n")
    (folder / "real" / "beside.py").write_text("print('found beside the real file')\n")
    (folder / "link.py").symlink_to(Path("real") / "script.py")


SHOW_SELF = """
    import sys
    names = {name: value for name, value in globals().items() if name != "__loader__"}
    print(names, type(__loader__), sys.argv, sys.orig_argv, sys.path)
    import __main__
    assert vars(__main__) is globals()
"""

POOL = """
    import multiprocessing, os, sys
    class Point:
        def __init__(self, x): self.x = x
    def work(point):
        return Point(point.x * 2)
    print("imported as", __name__, flush=True)
    if __name__ == "__main__":
        context = multiprocessing.get_context(sys.argv[1])
        pool = context.Pool(1)
        print([type(p) is Point and p.x for p in pool.map(work, [Point(1), Point(2)])])
        pool.close()
        pool.join()
"""

# Python does not import such a __main__ again in its children, so the work lies beside it.
POOL_BESIDE = {
    "app/__main__.py": "import multiprocessing, sys\nfrom helper import work\nwith multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:\n    print(pool.map(work, [1, 2]))\n",
    "app/__init__.py": "",
    "app/helper.py": "def work(x):\n    return 2 * x\n",
    "helper.py": "def work(x):\n    return 2 * x\n",
}

LOADER = """
    import sys, torch
    from torch.utils.data import DataLoader, Dataset, get_worker_info
    class Squares(Dataset):
        def __len__(self): return 12
        def __getitem__(self, index): return torch.tensor([index * index]), get_worker_info().id, torch.rand(1)
    if __name__ == "__main__":
        torch.manual_seed(0)
        torch.set_num_threads(1)
        start, persistent = sys.argv[1], sys.argv[2] == "persistent"
        loader = DataLoader(Squares(), batch_size=3, shuffle=True, num_workers=2, multiprocessing_context=start, persistent_workers=persistent)
        for epoch in range(2):
            for squares, worker, noise in loader:
                print(squares.flatten().tolist(), worker.tolist(), noise.flatten().tolist())
"""

DISTRIBUTED = """
    import os, sys, torch, torch.distributed as dist
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    value = torch.tensor([dist.get_rank() + 1.0])
    dist.all_reduce(value)
    open(f"rank{dist.get_rank()}.txt", "w").write(f"{sys.argv[1:]} {__name__} {value.item()}")
    sys.stdout.write(f"rank {dist.get_rank()}\\n")  # at once, where the launcher has switched buffers off
    sys.stdout.flush()
    dist.barrier()
    dist.destroy_process_group()
    if "fail" in sys.argv and os.environ["RANK"] == "1":
        sys.exit(7)
"""

torch_needed = pytest.mark.skipif(__import__("importlib.util").util.find_spec("torch") is None, reason="torch is not installed")
slow = pytest.mark.slow

# fmt: off
CASES = [
    # -- what the script sees of itself
    Case("script", SHOW_SELF, ("script.py", "a", "--help", "-q"), shows="'__file__'"),
    Case("script_by_command", SHOW_SELF, ("script.py", "a"), door=COMMAND, shows="'__file__'"),
    Case("script_relative", SHOW_SELF, ("./script.py",), shows="./script.py"),
    Case("script_from_below", SHOW_SELF, ("../script.py",), folder="below", files={"below/x.txt": ""}, shows="below/../script.py"),
    Case("script_safe_path", SHOW_SELF, flags=("-P",), shows="python311.zip" if sys.version_info < (3, 12) else ""),
    Case("script_link", make=_link, target=("link.py", "a"), shows="found beside the real file"),
    Case("script_pipe_like_suffix", SHOW_SELF, ("train.txt",), files={"train.txt": dedent(SHOW_SELF)}, shows="train.txt"),
    Case("script_compiled", make=_compiled, target=("plain.pyc", "a"), status=1, shows="SourcelessFileLoader"),
    Case("folder", target=("app", "a"), files={"app/__main__.py": dedent(SHOW_SELF)}, shows="app/__main__.py"),
    Case("folder_safe_path", target=("app/",), flags=("-P",), files={"app/__main__.py": dedent(SHOW_SELF)}, shows="app/"),
    Case("archive", make=_zip, target=("app.zip", "a"), status=1, shows="in an archive"),
    Case("module", SHOW_SELF, ("-m", "script", "-m", "b"), shows="'script'"),
    Case("module_safe_path", flags=("-P",), target=("-m", "json.tool"), stdin='{"a": 1}', shows='"a": 1'),
    Case("module_package", target=("-m", "app"), files={"app/__init__.py": "import sys; print(sys.argv)", "app/__main__.py": dedent(SHOW_SELF)}, shows="app.__main__"),
    Case(
        "module_relative_import",
        target=("-m", "app.train", "x"),
        files={"app/__init__.py": "", "app/model.py": "name = 'net'", "app/train.py": "from .model import name\nprint(name, __package__)\n1 / 0\n"},
        status=1,
        shows="ZeroDivisionError",
    ),
    Case("module_fails_at_import", target=("-m", "app.train"), files={"app/__init__.py": "1 / 0", "app/train.py": ""}, status=1, shows="ZeroDivisionError"),
    Case("code", target=("-c", dedent(SHOW_SELF), "a", "-c"), shows="'-c'"),
    Case("code_fails", target=("-c", "def f():\n    1 / 0\nf()"), status=1, shows="<string>"),
    Case("standard_input_script", target=("-", "a"), stdin=dedent(SHOW_SELF) + "print(repr(input('?')))", status=1, shows="EOFError"),
    Case("standard_input_data", "import sys\nprint(input(), sys.stdin.read())", stdin="first\nsecond\nthird\n", shows="first second"),
    Case("standard_input_empty", "input('name? ')", status=1, shows="EOFError: EOF when reading a line"),
    Case("annotations_and_doc", '"""Docs."""\nx: int = 1\nprint(__doc__, __annotations__)', shows="Docs."),
    Case("source_lines", "import inspect\ndef f():\n    return 1  # one\nprint(inspect.getsource(f))\nprint(inspect.getsourcefile(f))", shows="# one"),
    Case("flags", "import sys\nprint(sys.flags, sys.warnoptions, __debug__)", flags=("-O", "-u", "-W", "error::UserWarning", "-X", "utf8"), shows="utf8_mode=1"),
    Case("working_directory", "import os\nprint(os.getcwd())\nos.chdir('..')\nprint(os.getcwd(), __file__)\nraise KeyError('moved')", status=1, shows="moved"),
    Case(
        "own_module_shadows_ours",
        "import rich, msgspec, statistics, dataclasses\nprint(rich.mine, msgspec.mine, statistics.mine, dataclasses.dataclass)",
        files={"rich.py": "mine = 1", "msgspec/__init__.py": "mine = 2", "statistics.py": "mine = 3"},
        shows="1 2 3",
        # `python -m` looks into the working directory for every import, ours too; the command does not.
        door=COMMAND,
    ),
    Case("data_folder_named_like_a_library", "import rich\nprint(rich.get_console)", files={"rich/data.csv": "1"}, shows="get_console"),
    Case("environment", "import os\nprint(sorted(os.environ.items()))", shows="PATH"),
    # -- how it ends
    *(
        Case(f"exit_{name}", f"import sys\nprint('before')\nsys.exit({code})", status=status, shows="before")
        for name, code, status in [
            ("none", "None", 0), ("zero", "0", 0), ("three", "3", 3), ("minus_one", "-1", 255), ("256", "256", 0), ("true", "True", 1),
            ("huge", "1 << 70", 255), ("text", "'cannot go on'", 1), ("float", "2.5", 1), ("list", "[1, 2]", 1), ("tuple", "(1, 2)", 1),
            ("empty_text", "''", 1),
        ]
    ),
    Case("exit_subclass", "class Stop(SystemExit): pass\nraise Stop(4)", status=4),
    Case("exit_without_stderr", "import sys\nsys.stderr = None\nsys.exit('lost')", status=1, shows="lost"),
    Case("exit_in_except", "import sys\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    sys.exit('failed')", status=1, shows="failed"),
    Case("exit_at_once", "import os\nprint('flushed', flush=True)\nprint('lost')\nos._exit(7)", status=7, shows="flushed"),
    Case("abort", "import os, resource\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\nos.abort()", status=-signal.SIGABRT),
    Case("standard_output_closed", "import os\nos.close(1)\nprint('x')", status=120, shows="Bad file descriptor"),
    Case("standard_output_replaced", "import io, sys\nsys.stdout = io.StringIO()\nprint('x')\nsys.stderr.write(sys.stdout.getvalue())", shows="x"),
    Case("standard_output_shut", "import sys\nprint('x')\nsys.stdout.close()", shows="x"),
    Case("order_of_streams", "import sys\nprint('out')\nprint('err', file=sys.stderr)\nraise SystemExit('end')", status=1, shows="end"),
    # -- what it shows when it fails
    Case("fails", "def f(x):\n    return [1 / y for y in x]\nprint('before')\nf([0])", status=1, shows="division by zero"),
    Case("fails_in_import", "import broken", files={"broken.py": "import math\nmath.nothing"}, status=1, shows="broken.py"),
    Case("import_missing", "import nosuchmodule_x", status=1, shows="nosuchmodule_x"),
    Case(
        "chained",
        """
        def first():
            try:
                {}["key"]
            except KeyError as error:
                raise ValueError("second") from error
        try:
            first()
        except ValueError:
            raise RuntimeError("third")
        """,
        status=1,
        shows="During handling of the above exception",
    ),
    Case("notes", "error = ValueError('x')\nerror.add_note('a note\\nof two lines')\nraise error", status=1, shows="of two lines"),
    Case("group", "def f():\n    raise ValueError(1)\ntry:\n    f()\nexcept ValueError as e:\n    raise ExceptionGroup('both', [e, KeyError(2)])", status=1, shows="both"),
    Case("context_suppressed", "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise ValueError from None", status=1, shows="ValueError"),
    Case("own_printing", "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()", shows="ZeroDivisionError"),
    Case("broken_text", "class E(Exception):\n    def __str__(self): 1 / 0\nraise E", status=1, shows="<exception str() failed>"),
    Case("syntax_error", "x = (1,\nprint(x)\n", status=1, shows="was never closed"),
    Case("syntax_error_module", "x = = 1\n", ("-m", "script"), status=1, shows="invalid syntax"),
    Case("syntax_error_code", target=("-c", "x = = 1"), status=1, shows="invalid syntax"),
    Case("syntax_error_imported", "import broken", files={"broken.py": "def f(:"}, status=1, shows="broken.py"),
    Case("indentation", "if 1:\nprint(2)\n", status=1, shows="IndentationError"),
    Case("not_text", target=("bad.py",), files={"bad.py": b"x = 1\n# caf\xe9\n"}, status=1, shows="Non-UTF-8 code"),
    Case("null_byte", target=("bad.py",), files={"bad.py": b"x = 1\ny = \x002\n"}, status=1, shows="null bytes"),
    Case("unknown_encoding", target=("bad.py",), files={"bad.py": b"# coding: nosuch\nx = 1\n"}, status=1, shows="encoding problem"),
    Case("latin_1", target=("good.py",), files={"good.py": "# coding: latin-1\nprint(ascii('é'))\n1 / 0 # é\n".encode("latin-1")}, status=1, shows="\\xe9"),
    Case("windows_lines", target=("good.py",), files={"good.py": b"\xef\xbb\xbfprint('a')\r\n1 / 0\r\n"}, status=1, shows="division"),
    Case("compile_warning", "x = '\\d'\nprint(1 is 1)", flags=("-W", "always"), shows="SyntaxWarning"),
    Case("compile_warning_as_error", "print(1 is 1)", flags=("-W", "error"), status=1, shows='"is" with'),
    Case("warnings", "import warnings\ndef old():\n    warnings.warn('old', DeprecationWarning, stacklevel=2)\nold()\nwarnings.warn('new')", shows="UserWarning"),
    Case(
        "warning_beyond_the_script",
        "import warnings\ndef old():\n    warnings.warn('deep', stacklevel=3)\nold()",
        shows="sys:1: UserWarning: deep",
        marks=(pytest.mark.xfail(reason="our frames lie below the script's, so the warning names one of them"),),
    ),
    Case("hook", "import sys\nsys.excepthook = lambda kind, error, tb: print(kind, error, tb.tb_lineno, tb.tb_next)\n1 / 0", status=1, shows="division by zero"),
    Case("hook_prints_stack", "import sys, traceback\ndef hook(*x):\n    print(traceback.format_exception(*x))\nsys.excepthook = hook\n1 / 0", status=1, shows="<module>"),
    Case("hook_exits", "import sys\nsys.excepthook = lambda *x: sys.exit(9)\n1 / 0", status=9),
    Case("hook_fails", "import sys\ndef hook(*x):\n    {}['k']\nsys.excepthook = hook\n1 / 0", status=1, shows="Original exception was"),
    Case("hook_missing", "import sys\ndel sys.excepthook\n1 / 0", status=1, shows="sys.excepthook is missing"),
    Case("hook_not_callable", "import sys\nsys.excepthook = None\n1 / 0", status=1, shows="Error in sys.excepthook"),
    Case("last_value", "import atexit, sys\natexit.register(lambda: print(repr(sys.last_value), sys.last_traceback.tb_lineno))\n1 / 0", status=1, shows="ZeroDivisionError"),
    Case("no_last_value", "import atexit, sys\natexit.register(lambda: print(hasattr(sys, 'last_value'), sys.exc_info()))", shows="False (None, None, None)"),
    # -- signals
    Case("interrupt_raised", "print('before')\nraise KeyboardInterrupt", status=-signal.SIGINT, shows="KeyboardInterrupt"),
    Case("interrupt_subclass", "class K(KeyboardInterrupt): pass\nraise K('x')", status=1, shows="K: x"),
    Case("interrupt_received", "import os, signal, time\ndef f():\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(5)\nf()", status=-signal.SIGINT, shows="KeyboardInterrupt"),
    Case("interrupt_module", "raise KeyboardInterrupt", ("-m", "script"), status=-signal.SIGINT, shows="KeyboardInterrupt"),
    Case("interrupt_code", target=("-c", "raise KeyboardInterrupt"), status=-signal.SIGINT, shows="KeyboardInterrupt"),
    Case("interrupt_caught", "import os, signal, sys\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\n    sum(range(10**7))\nexcept KeyboardInterrupt:\n    sys.exit(130)", status=130),
    Case("interrupt_hook_exits", "import sys\nsys.excepthook = lambda *x: sys.exit(5)\nraise KeyboardInterrupt", status=5),
    Case("interrupt_then_handlers", "import atexit\natexit.register(print, 'cleaned')\nraise KeyboardInterrupt", status=-signal.SIGINT, shows="cleaned"),
    Case(
        "interrupt_while_joining",
        """
        import os, signal, threading, time
        def work():
            threading.main_thread().join()
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=work).start()
        print("main is over")
        """,
        shows="Exception ignored in",
    ),
    Case("terminate", "import os, signal, time\nos.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(5)", status=-signal.SIGTERM),
    Case("terminate_handled", "import os, signal, sys\nsignal.signal(signal.SIGTERM, lambda *x: sys.exit(11))\nos.kill(os.getpid(), signal.SIGTERM)\nsum(range(10**7))", status=11),
    Case("kill", "import os, signal\nprint('x', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)", status=-signal.SIGKILL, shows="x"),
    Case("default_handlers", "import signal\nprint([(s.name, str(signal.getsignal(s))) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE)])", shows="default_int_handler"),
    # -- threads and handlers
    Case(
        "handlers_after_threads",
        """
        import atexit, threading, time
        atexit.register(lambda: print("handler 1", "__file__" in globals()))
        atexit.register(lambda: print("handler 2", threading.main_thread().is_alive()))
        def work():
            time.sleep(0.2)
            print("thread ends", "__file__" in globals())
        threading.Thread(target=work).start()
        print("main ends")
        """,
        shows="handler 2 False\nhandler 1 False",
    ),
    Case("handlers_after_exit", "import atexit, sys\natexit.register(lambda: print('handler', '__file__' in globals()))\nsys.exit(3)", status=3, shows="handler True"),
    Case("handlers_after_failure", "import atexit\natexit.register(lambda: print('handler', '__file__' in globals()))\n1 / 0", status=1, shows="handler False"),
    Case("handlers_of_module", "import atexit\natexit.register(lambda: print('handler', '__file__' in globals()))", ("-m", "script"), shows="handler True"),
    Case("handler_fails", "import atexit\ndef bad():\n    1 / 0\natexit.register(print, 'still')\natexit.register(bad)", shows="Exception ignored in atexit callback"),
    Case("handler_exits", "import atexit, sys\natexit.register(sys.exit, 5)\natexit.register(print, 'still')", shows="still"),
    Case("handler_registers_handler", "import atexit\natexit.register(lambda: atexit.register(print, 'late'))\nprint('end')", shows="end"),
    Case("thread_fails", "import threading\ndef work():\n    1 / 0\nthread = threading.Thread(target=work, name='worker')\nthread.start()\nthread.join()", shows="Exception in thread worker"),
    Case("thread_daemon", "import threading, time\nthreading.Thread(target=time.sleep, args=(30,), daemon=True).start()\nprint('end')", shows="end"),
    Case("thread_starts_thread", "import threading, time\ndef second():\n    time.sleep(0.1)\n    print('second')\ndef first():\n    time.sleep(0.1)\n    threading.Thread(target=second).start()\nthreading.Thread(target=first).start()", shows="second"),
    Case("thread_pool", "from concurrent.futures import ThreadPoolExecutor\nimport time\npool = ThreadPoolExecutor(2)\npool.submit(lambda: (time.sleep(0.2), print('done')))\nprint('main ends')", shows="done"),
    Case("async", "import asyncio\nasync def main():\n    await asyncio.gather(*(asyncio.sleep(0.01) for _ in range(3)))\n    raise ValueError('async')\nasyncio.run(main())", status=1, shows="ValueError: async"),
    Case("logging", "import logging\nlogging.basicConfig(level='INFO')\nlogging.getLogger(__name__).info('hello')\nlogging.exception('bad')", shows="INFO:__main__:hello"),
    Case(
        "finalizers",
        """
        import sys, tempfile, weakref, os
        class Loud:
            def __init__(self, name): self.name = name
            def __del__(self): print("gone", self.name)
        def main():
            local = Loud("local")
            sys.exit(2)
        kept = Loud("global")
        weakref.finalize(kept, print, "finalized")
        folder = tempfile.TemporaryDirectory(dir=".")
        main()
        """,
        status=2,
        shows="gone local",
    ),
    # -- children
    *(Case(f"pool_{start}", POOL, ("script.py", start), shows="[2, 4]") for start in ("fork", "spawn", "forkserver")),
    Case("pool_spawn_module", POOL, ("-m", "script", "spawn"), shows="[2, 4]"),
    Case("pool_spawn_package", target=("-m", "app", "spawn"), files=POOL_BESIDE, shows="[2, 4]"),
    Case("pool_spawn_folder", target=("app", "spawn"), files=POOL_BESIDE, shows="[2, 4]"),
    Case("pool_spawn_unguarded", "import multiprocessing as mp\nmp.set_start_method('spawn')\np = mp.Process(target=print)\np.start()\np.join()\nprint(p.exitcode)", shows="context has already been set"),
    Case(
        "executor",
        """
        import multiprocessing, sys
        from concurrent.futures import ProcessPoolExecutor
        def square(x): return x * x
        if __name__ == "__main__":
            for start in ("fork", "spawn"):
                with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(start)) as pool:
                    print(list(pool.map(square, [1, 2, 3])))
        """,
        shows="[1, 4, 9]",
    ),
    Case(
        "executor_fails",
        """
        from concurrent.futures import ProcessPoolExecutor, wait
        def fail(x): raise ValueError(x)
        if __name__ == "__main__":
            with ProcessPoolExecutor(1) as pool:
                asked = pool.submit(fail, 3)
                wait([asked])  # result() raises from another line of the library while the answer is awaited
                print(asked.result())
        """,
        status=1,
        shows="_RemoteTraceback",
    ),
    Case("process_status", "import multiprocessing as mp, sys, os\nfor f, a in ((sys.exit, 4), (os._exit, 5), (sys.exit, 'text')):\n    p = mp.get_context('fork').Process(target=f, args=(a,))\n    p.start()\n    p.join()\n    print(p.exitcode)", shows="4\n5\n1"),
    Case("process_left_running", "import multiprocessing as mp, time\nif __name__ == '__main__':\n    mp.get_context('fork').Process(target=lambda: (time.sleep(0.3), print('child ends'))).start()\n    print('main ends')", shows="child ends"),
    Case(
        "fork",
        """
        import atexit, os, sys
        atexit.register(lambda: print("handler", os.getpid() == root))
        root = os.getpid()
        child = os.fork()
        if child:
            print("status", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        print("end", os.getpid() == root)
        """,
        shows="handler False",
    ),
    Case("fork_exits", "import os, sys\nchild = os.fork()\nif not child:\n    sys.exit(3)\nprint(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))", shows="3"),
    Case("fork_fails", "import os, sys\nchild = os.fork()\nif not child:\n    1 / 0\nprint(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))", shows="ZeroDivisionError"),
    Case("fork_parent_leaves", "import os, time\nreader, writer = os.pipe()\nif os.fork():\n    os.read(reader, 1)\n    os._exit(6)\nopen('child.txt', 'w').write('written')\nos.write(writer, b'x')\ntime.sleep(0.1)\n", status=6),
    Case("starts_itself_again", "import os, subprocess, sys\nprint(len(sys.argv), flush=True)\nif len(sys.argv) == 1:\n    subprocess.run([sys.executable, *sys.argv, 'again'], check=True)", shows="1\n2"),
    Case("replaces_itself", "import os, sys\nprint(sys.argv, flush=True)\nif 'again' not in sys.argv:\n    os.execv(sys.executable, [*sys.orig_argv, 'again'])", shows="again"),
    # -- what it leaves behind
    Case("files", "import pickle\nclass Net:\n    pass\nwith open('net.pkl', 'wb') as f:\n    pickle.dump(Net(), f)\nprint(type(pickle.load(open('net.pkl', 'rb'))))\nimport beside", files={"beside.py": "x = 1"}, shows="__main__.Net"),
    Case("random", "import random, hashlib\nrandom.seed(0)\nprint(random.random(), hash('x'))", environment={"PYTHONHASHSEED": "1"}, shows="0.844"),
    Case("runpy", "import runpy\nrunpy.run_path('other.py', run_name='__main__')", files={"other.py": "import sys\nprint(__name__, sys.argv)\n1 / 0"}, status=1, shows="other.py"),
    # -- torch
    *(
        Case(f"loader_{start}_{kept}", LOADER, ("script.py", start, kept), shows="[", marks=(torch_needed, slow))
        for start, kept in (("fork", "fresh"), ("spawn", "fresh"), ("fork", "persistent"), ("spawn", "persistent"))
    ),
]
# fmt: on


def prepare(case: Case, folder: Path) -> None:
    """Makes the folder anew, with nothing of an earlier run in it."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir()
    if case.source:
        (folder / "script.py").write_text(dedent(case.source))
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if case.make is not None:
        case.make(folder)


def files_in(folder: Path) -> dict[str, bytes]:
    """Returns what lies in the folder, our own run files and compiled modules apart."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not {".tensan", "__pycache__"} & set(path.relative_to(folder).parts)
    }


def run(case: Case, folder: Path, *, watched: bool) -> tuple[int, str, str, dict[str, bytes]]:
    prepare(case, folder)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TENSAN", "PYTHON"))} | case.environment
    done = subprocess.run(
        [sys.executable, *case.flags, *(case.door if watched else ()), *case.target],
        cwd=folder / case.folder,
        env=environment,
        input=case.stdin,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, ADDRESS.sub("0x", done.stdout), ADDRESS.sub("0x", done.stderr), files_in(folder)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name, marks=case.marks) for case in CASES])
def test_same_as_bare(case: Case, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    bare = run(case, folder, watched=False)
    assert bare[0] == case.status, bare[2]
    assert case.shows in bare[1] + bare[2]
    watched = run(case, folder, watched=True)
    assert watched[2] == bare[2]
    assert watched[1] == bare[1]
    assert watched[0] == bare[0]
    assert watched[3] == bare[3]


def test_interrupt_from_outside(tmp_path: Path) -> None:
    """A person presses Ctrl-C: the whole foreground group gets the signal."""
    source = "import time\nprint('ready', flush=True)\ntime.sleep(30)\n"
    case = Case("outside", source)
    seen = []
    for extra in ((), WATCHED):
        prepare(case, tmp_path / "run")
        child = subprocess.Popen(
            [sys.executable, *extra, "script.py"],
            cwd=tmp_path / "run",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.05)
        os.killpg(child.pid, signal.SIGINT)
        out, err = child.communicate(timeout=300)
        seen.append((child.returncode, out, err))
    assert seen[0][0] == -signal.SIGINT
    assert seen[1] == seen[0]


def test_script_from_a_pipe(tmp_path: Path) -> None:
    """A shell's `<(...)` can be read only once."""
    seen = []
    for extra in ((), WATCHED):
        reader, writer = os.pipe()
        os.write(writer, b"import sys\nprint('from a pipe', sys.argv[1:])\n1 / 0\n")
        os.close(writer)
        done = subprocess.run(
            [sys.executable, *extra, f"/dev/fd/{reader}", "a"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            pass_fds=(reader,),
            check=False,
        )
        os.close(reader)
        seen.append((done.returncode, done.stdout, done.stderr.replace(f"/dev/fd/{reader}", "/dev/fd/N")))
    assert "from a pipe" in seen[0][1]
    assert seen[1] == seen[0]


TORCHRUN = (str(Path(sys.executable).parent / "torchrun"),)
RANKS = ("--nproc_per_node=2", "--master_port=0", "--rdzv-backend=c10d", "--rdzv-endpoint=127.0.0.1:0")
#: How the ranks are started, and what stands before the script where they are watched; without a watch, a program is python's.
RANK_DOORS = {
    "module": ((sys.executable, "-m", "torch.distributed.run", *RANKS), WATCHED),
    "no_python": ((sys.executable, "-m", "torch.distributed.run", *RANKS), ("--no-python", *COMMAND)),
    "torchrun": ((*TORCHRUN, *RANKS), WATCHED),
    "torchrun_no_python": ((*TORCHRUN, *RANKS), ("--no-python", *COMMAND)),
}


@torch_needed
@slow
@pytest.mark.torchrun
@pytest.mark.parametrize("words", [("--lr", "1"), ("fail",)], ids=["ends well", "a rank fails"])
@pytest.mark.parametrize("door", RANK_DOORS)
def test_two_ranks(door: str, words: tuple[str, ...], tmp_path: Path) -> None:
    launcher, watched = RANK_DOORS[door]
    case = Case("ranks", DISTRIBUTED)
    seen = []
    for extra in ((), watched):
        prepare(case, tmp_path / "run")
        done = subprocess.run(
            [*launcher, *extra, "script.py", *words], cwd=tmp_path / "run", capture_output=True, text=True, timeout=300, check=False
        )
        seen.append((done.returncode, sorted(done.stdout.splitlines()), files_in(tmp_path / "run")))
        assert ("exitcode  : 7" in done.stderr) is ("fail" in words), done.stderr
    status, printed, files = seen[0]
    assert status == ("fail" in words)
    assert printed == ["rank 0", "rank 1"]
    assert files["rank0.txt"] == f"{list(words)} __main__ 3.0".encode()
    assert seen[1] == seen[0]
