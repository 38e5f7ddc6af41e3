"""The stem itself: imports what programs need, then forks a child for each order that comes in; started by `Stem`."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pkgutil
import signal
import sys
import time
import weakref
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NoReturn

import msgspec

from tensan.core import plugins, settings
from tensan.core.events.base import heard_by
from tensan.core.sites import is_users
from tensan.testing.branch import Branch, libraries_of
from tensan.testing.remains import Remains
from tensan.testing.stem import Answer, Order

_POLL_SECONDS = 0.001


def main(preload: Iterable[str]) -> None:
    """Serves until the client closes its end."""
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    _redirect(0, os.devnull, os.O_RDONLY)
    os.dup2(2, 1)
    spent = _import(preload)
    _freeze()
    branches: dict[frozenset[str], Branch] = {}
    for line in iter(orders.readline, b""):
        order = msgspec.json.decode(line, type=Order)
        libraries = libraries_of(Path(order.script))
        if not libraries:
            answer = _encoded(_serve(order, spent, (orders, answers)))
        else:
            if frozenset(libraries) not in branches:
                branches[frozenset(libraries)] = Branch(partial(_grow, list(chain(*libraries.values())), spent))
            answer = branches[frozenset(libraries)].ask(line)
            if not answer:
                raise RuntimeError(f"the branch that imports {', '.join(libraries)} has died")
        answers.write(answer)
        answers.flush()


def _grow(statements: Sequence[str], spent: int, orders: BinaryIO, answers: BinaryIO) -> None:
    """Serves as a branch, for programs that import some libraries, until the stem ends."""
    began = time.process_time_ns()
    for statement in statements:
        with contextlib.suppress(Exception):  # the program will raise it where it should
            exec(statement, {})
    spent += time.process_time_ns() - began
    _freeze()
    for line in iter(orders.readline, b""):
        answers.write(_encoded(_serve(msgspec.json.decode(line, type=Order), spent, (orders, answers))))
        answers.flush()


def _encoded(answer: Answer) -> bytes:
    return msgspec.json.encode(answer) + b"\n"


def _freeze() -> None:
    """Makes the children share what is loaded, and leave it as it is."""
    for finalizer in list(weakref.finalize._registry):  # type: ignore[attr-defined]
        finalizer.atexit = False  # what the stem has imported, each child would take down again
    for module in list(sys.modules.values()):
        is_users(getattr(module, "__file__", None) or "")  # remembered: each child would ask the system about each file
    gc.collect()
    gc.freeze()


def _import(preload: Iterable[str]) -> int:
    """Imports what every child would import itself; returns the CPU nanoseconds that the framework took."""
    began = time.process_time_ns()
    for name in preload:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    spent = time.process_time_ns() - began
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # a pool of threads would not survive the fork
    for rule in plugins.all_rules():
        heard_by(rule)
    plugins.sinks()
    settings.load(environment={}, flags={"quiet": True})
    for kind in plugins.adapters().values():
        if getattr(kind, "module", None) in sys.modules:
            _import_parts(kind.__module__)
    for name in ("tensan.cli.run", "tensan.launch.session", "wrapt"):
        importlib.import_module(name)
    return spent


def _import_parts(package: str) -> None:
    for info in pkgutil.walk_packages(getattr(sys.modules[package], "__path__", ()), f"{package}."):
        importlib.import_module(info.name)


def _serve(order: Order, spent: int, ends: tuple[BinaryIO, BinaryIO]) -> Answer:
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        for end in ends:
            os.close(end.fileno())
        _become(order, spent)
    with contextlib.suppress(OSError):
        os.setpgid(child, child)
    timed_out = False
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() - began > order.limit and not timed_out:
            timed_out = True
            os.killpg(child, signal.SIGKILL)
        time.sleep(_POLL_SECONDS)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)  # what the program has left running
    return Answer(status=os.waitstatus_to_exitcode(status), seconds=round(time.monotonic() - began, 3), timed_out=timed_out)


def _become(order: Order, spent: int) -> NoReturn:
    """In the child: runs the program and ends the process."""
    status = 70
    try:
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)
        folder = Path(order.folder)
        _redirect(1, folder / "stdout", os.O_WRONLY | os.O_CREAT)
        _redirect(2, folder / "stderr", os.O_WRONLY | os.O_CREAT)
        os.chdir(folder / "work")
        if order.prelude:
            exec(compile(order.prelude, "<prelude>", "exec"), {"__name__": "prelude", "order": order})
        status = _run(order, folder, spent)
    except BaseException:  # noqa: BLE001 - the child must not go on as a second stem
        import traceback

        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        if status < 0:
            os.kill(os.getpid(), -status)
        os._exit(status & 0xFF)


def _run(order: Order, folder: Path, spent: int) -> int:
    from tensan.launch.execute import Target, execute
    from tensan.launch.session import Session, status_of

    target = Target("script", order.script, tuple(order.arguments))
    sys.argv = sys.orig_argv = [sys.executable, order.script, *order.arguments]
    remains = Remains() if order.remains else None

    def take_remains() -> None:
        if remains is not None:
            (folder / "remains.json").write_bytes(msgspec.json.encode(remains.digests()))

    session: Session | None = None
    if order.watched:
        flags = {"json": str(folder / "report.json"), "output": str(folder / "runs"), "quiet": True} | order.flags
        session = Session.start(flags=flags, script=os.path.basename(order.script), interactive=False)
        session.watch.budget.backdate(spent)  # as if the program had imported the framework itself

    def conclude(exception: BaseException | None) -> None:
        if session is not None:
            session.conclude(exception)
        take_remains()

    def end(exception: BaseException | None) -> None:
        if session is not None:
            session.end(exception, status_of(exception))
            if session.watch.settings.quiet:
                _print(session, Path(order.script).parent, folder / "report.txt")

    return execute(target, before_shutdown=conclude, on_end=end)


def _print(session: object, place: Path, path: Path) -> None:
    """Writes the report as a terminal in the program's own folder would show it."""
    from tensan.launch.session import Session, make_sink

    assert isinstance(session, Session)
    held = session.watch.settings
    sink = make_sink("full", verbose=held.verbose, hints=held.preview)
    assert sink is not None
    os.chdir(place)
    with path.open("w", encoding="utf-8") as stream:
        sink.write(session.report(), stream)


def _redirect(number: int, path: str | os.PathLike[str], flags: int) -> None:
    handle = os.open(path, flags, 0o644)
    os.dup2(handle, number)
    os.close(handle)


if __name__ == "__main__":
    main(sys.argv[1:])
