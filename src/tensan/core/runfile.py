"""The run file: one JSON record a line, appended as things happen, so that a killed run still leaves a readable one."""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from tensan.core.curves import FACTS, FIGURES, Curves, Fact, Figures
from tensan.core.diagram import DIAGRAM, Diagram
from tensan.core.errors import RunFileError
from tensan.core.findings import Told
from tensan.core.report import Report, Run, ordered

VERSION = 1
SUFFIX = ".jsonl"
_OTHER_RANK = re.compile(r"-rank[1-9]\d*$")


class RunFile:
    """An open run file.

    A record is written in one system call, without a buffer of our own, so that `kill -9` loses at most the record being
    written. A full disk is said once, by `problem`, and the run goes on.

    Args:
        path: where it lies; its folder is made.

    Raises:
        OSError: when the file cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def append(self, kind: str, record: object) -> None:
        """Writes a record; after the first failure nothing more is written."""
        if self.problem:
            return
        try:
            line = _line(kind, record)
            written = os.write(self._handle, line)
            if written < len(line):
                self.problem = f"{self.path}: only {written} of {len(line)} bytes could be written: is the disk full?"
        except OSError as error:
            self.problem = f"{self.path}: {error.strerror or error}"
        except Exception as error:  # noqa: BLE001 - this is called where a failure of ours has just been caught
            self.problem = f"{self.path}: {type(error).__name__}: {error}"

    def close(self) -> None:
        """Closes the file; more appends are ignored."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle, self.problem = -1, self.problem or "closed"


def _line(kind: str, record: object) -> bytes:
    return msgspec.json.encode({"kind": kind, "record": record}, enc_hook=str) + b"\n"


def read(path: Path) -> Report:
    """Reads a run file, also one that was cut short; the last word on a finding or on the run stands.

    Raises:
        RunFileError: when it is missing, of another version, or no run file.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise RunFileError(f"{path}: cannot be read: {error.strerror or error}") from error
    run, findings, whole, curves = Run(), {}, False, Curves()
    diagrams: list[Diagram] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            item = msgspec.json.decode(line)
            kind, record = item["kind"], item["record"]
            if number > 1 and kind == "run":
                run = msgspec.convert(record, Run)
                whole = whole or run.status != "running"
            elif number > 1 and kind == "finding":
                told = msgspec.convert(record, Told)
                findings[told.fingerprint, told.code, told.line] = told
            elif number > 1 and kind == FIGURES:
                figures = msgspec.convert(record, Figures)
                curves.add(figures)
                if run.status == "running":
                    run.steps, run.overhead_pct = max(run.steps, figures.steps), figures.overhead_pct or run.overhead_pct
            elif number > 1 and kind == FACTS:
                curves.facts = msgspec.convert(record, list[Fact])
            elif number > 1 and kind == DIAGRAM:
                diagrams.append(msgspec.convert(record, Diagram))
        except (msgspec.DecodeError, KeyError, TypeError) as error:
            if number == 1:
                raise RunFileError(f"{path}: is not a run file of tensan") from error
            if number == len(lines):  # a record that was being written when the process died
                break
            raise RunFileError(f"{path}: line {number} is damaged") from error
        if number == 1:
            if kind != "start" or not isinstance(record, dict):
                raise RunFileError(f"{path}: is not a run file of tensan")
            if record.get("version") != VERSION:
                found = record.get("version")
                raise RunFileError(f"{path}: was written in version {found} of the run file; this tensan reads version {VERSION}")
    if not any(line.strip() for line in lines):
        raise RunFileError(f"{path}: is empty: nothing of that run could be written")
    if run.status == "running" and not whole:
        run.status = "cut short" if not _alive(run.pid) else "running"
    # What was told while the script ran can turn out, at its end, to follow from something that is silenced.
    told = (told for told in findings.values() if told.fingerprint not in run.silenced)
    return Report(run=run, findings=ordered(told), curves=curves, diagrams=diagrams)


def _alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def latest(folder: Path, *, before: int = 0) -> Path:
    """Returns the newest run file of a folder, that of rank 0 where several ranks left one.

    Args:
        folder: where run files lie.
        before: how many newer ones to pass over: 1 for the last run but one.

    Raises:
        RunFileError: when there is none.
    """
    found = sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: (not _OTHER_RANK.search(path.stem), path.stat().st_mtime))
    if len(found) <= before:
        holds = f"only {len(found)} run{'s' if len(found) > 1 else ''}" if found else "no run"
        raise RunFileError(f"{folder}: holds {holds}; `tensan run script.py` makes one")
    return found[-1 - before]
