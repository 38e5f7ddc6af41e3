"""A process that has imported the framework once and forks a child for each program: a case then takes a fraction of a second."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from tensan.core.report import Report
from tensan.launch import saved

#: What almost every program of PyTorch imports sooner or later, itself or through torch.
PRELOADED = ("torch", "torch._dynamo", "torch.utils.data", "torch.optim.lr_scheduler", "torch.utils.checkpoint")


class Order(msgspec.Struct, kw_only=True):
    """What the stem is asked to run.

    Attributes:
        script: the program.
        arguments: its own.
        flags: settings by attribute, as `tensan run` would have been given.
        watched: whether it is watched; otherwise it runs as bare python would run it, in the same kind of child.
        folder: where the child runs and leaves what it writes.
        prelude: Python source that the child runs before anything else.
        remains: whether to take digests of what the program leaves behind.
        limit: seconds after which the child and its children are killed.
    """

    script: str
    folder: str
    arguments: list[str] = []
    flags: dict[str, Any] = {}
    watched: bool = True
    prelude: str = ""
    remains: bool = False
    limit: float = 60.0


class Outcome(msgspec.Struct, kw_only=True):
    """How a program ended.

    Attributes:
        status: its exit status, negative for the signal that ended it.
        report: what was found; None where no report was written.
        printed: the report as the terminal shows it, with paths relative to the program's folder.
        files: what it left in its working folder, by relative path.
        remains: digests of what it left in memory, by what it is.
        timed_out: whether it was killed for taking too long.
    """

    status: int
    stdout: str
    stderr: str
    report: Report | None = None
    printed: str = ""
    files: dict[str, bytes] = {}
    remains: dict[str, str] = {}
    seconds: float = 0.0
    timed_out: bool = False


class Answer(msgspec.Struct, kw_only=True):
    """What the stem says when a child has ended."""

    status: int
    seconds: float
    timed_out: bool = False


class Stem:
    """The client's side; a context manager.

    Args:
        preload: modules that the stem imports before it forks; one that is not there is left out.
        environment: variables on top of this process's own, of which those of Tensan are taken away.
    """

    def __init__(self, *, preload: Sequence[str] = PRELOADED, environment: Mapping[str, str] | None = None) -> None:
        own = {name: value for name, value in os.environ.items() if not name.startswith("TENSAN")}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tensan.testing.serve", *preload],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=own | {"PYTHONDONTWRITEBYTECODE": "1"} | dict(environment or {}),
            cwd=tempfile.gettempdir(),
        )

    def run(
        self,
        script: Path,
        *,
        arguments: Sequence[str] = (),
        flags: Mapping[str, Any] | None = None,
        watched: bool = True,
        prelude: str = "",
        remains: bool = False,
        limit: float = 60.0,
    ) -> Outcome:
        """Runs a program in a child of its own and waits for it.

        Args:
            script: the program.
            arguments: its own arguments.
            flags: settings by attribute; by default those that a user has who gives none.
            watched: whether Tensan watches.
            prelude: Python source that the child runs before the watch begins.
            remains: whether to take digests of what the program leaves behind; its modules and optimizers then live to its end.
            limit: seconds after which the child is killed.
        """
        with tempfile.TemporaryDirectory(prefix="tensan-stem-") as folder:
            work = Path(folder, "work")
            work.mkdir()
            order = Order(
                script=str(script.resolve()),
                folder=folder,
                arguments=list(arguments),
                flags=dict(flags or {}),
                watched=watched,
                prelude=prelude,
                remains=remains,
                limit=limit,
            )
            answer = self._ask(order)
            document, left = Path(folder, "report.json"), Path(folder, "remains.json")
            return Outcome(
                status=answer.status,
                stdout=_text(Path(folder, "stdout")),
                stderr=_text(Path(folder, "stderr")),
                report=saved.read(document) if document.is_file() else None,
                printed=_text(Path(folder, "report.txt")),
                files={str(path.relative_to(work)): path.read_bytes() for path in sorted(work.rglob("*")) if path.is_file()},
                remains=msgspec.json.decode(left.read_bytes(), type=dict[str, str]) if left.is_file() else {},
                seconds=answer.seconds,
                timed_out=answer.timed_out,
            )

    def close(self) -> None:
        """Ends the stem."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _ask(self, order: Order) -> Answer:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode(order) + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process that runs programs has died (status {self._process.poll()}) at {order.script}")
        return msgspec.json.decode(line, type=Answer)

    def __enter__(self) -> Stem:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self.close()


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
