"""Runs a script under `tensan run` in a process of its own, with an end to its steps, its time and what is kept of its output."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import msgspec

from tensan.core import runfile
from tensan.core.errors import RunFileError, UsageError
from tensan.core.report import Report
from tensan.core.settings import RESERVED
from tensan.launch import saved

#: Bytes of the output that are kept: its end.
MOST_OUTPUT = 4_000
#: Seconds that a script has to end by itself once it is interrupted, and then its output to arrive.
GRACE = 5.0


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a run.

    Attributes:
        report: None where the watch never began.
        output: the end of what it wrote to stdout and stderr; printed: how many bytes that were in all.
        overdue: whether it was ended because its time was over.
    """

    script: str
    report: Report | None
    exit_status: int
    output: str
    printed: int
    seconds: float
    overdue: bool


class Runner:
    """Runs one script at a time."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def run(
        self, root: Path, script: str, arguments: Sequence[str], *, output: Path, steps: int, seconds: int, asks: Sequence[str] = ()
    ) -> Ran:
        """Runs a script and waits until it has ended or its time is over.

        Args:
            root: its working folder.
            script: its path there.
            arguments: its own.
            output: an empty folder for the run file.
            steps: optimizer steps after which it is stopped.
            seconds: wall-clock time after which it is interrupted, and killed where that does not help.
            asks: questions to put to a recorded step.

        Raises:
            UsageError: when it cannot be started.
        """
        options = ["--steps", str(steps), "--output", str(output), "--quiet", *(word for ask in asks for word in ("--ask", ask))]
        command = [sys.executable, "-m", "tensan", "run", *options, "--", script, *arguments]
        with self._turn:
            began = time.monotonic()
            try:
                process = self._process = subprocess.Popen(
                    command,
                    cwd=root,
                    env={name: value for name, value in os.environ.items() if name not in ("TENSAN", *RESERVED)},
                    stdin=subprocess.DEVNULL,  # ours is the agent's
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:  # too long, or characters that no argument can hold
                raise UsageError(f"script: {script!r} cannot be started: {error}") from error
            assert process.stdout is not None
            tail, overdue = _Tail(process.stdout), False
            try:
                process.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                overdue = True
                process.send_signal(signal.SIGINT)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=GRACE)
            finally:
                self.kill()
                status, self._process = process.wait(), None
            tail.join(GRACE)
            try:
                report = saved.read(runfile.latest(output))
            except RunFileError:
                report = None
            return Ran(
                script=script,
                report=report,
                exit_status=status,
                output=bytes(tail.kept).decode(errors="replace"),
                printed=tail.count,
                seconds=time.monotonic() - began,
                overdue=overdue,
            )

    def kill(self) -> None:
        """Kills the script that runs, and all that it has started and left behind."""
        process = self._process
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)  # the script leads its group
            else:
                process.kill()


class _Tail(threading.Thread):
    """Reads a stream to its end and keeps the last bytes, so that whoever writes never waits and nothing grows."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self.kept, self.count = bytearray(), 0
        self._stream = stream
        self.start()

    def run(self) -> None:
        with self._stream:
            while chunk := os.read(self._stream.fileno(), 1 << 16):
                self.count += len(chunk)
                self.kept = (self.kept + chunk)[-MOST_OUTPUT:]
