"""IPython and notebooks: `%load_ext tensan` watches the cells, `%tensan` shows the report so far."""

from __future__ import annotations

import contextlib
from typing import Any

from tensan.core import sites
from tensan.core.report import Report
from tensan.hosts.door import begin


class Shown:
    """A report as the shell shows it: as text in a terminal, as a table in a notebook."""

    def __init__(self, report: Report, text: str) -> None:
        self.report = report
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        from tensan.launch.notebook import table

        return table(self.report)


def load(shell: Any) -> None:
    """Begins to watch, and gives the shell the magic `%tensan`."""

    def tensan(line: str) -> Shown | None:
        """`%tensan` shows the report so far, `%tensan off` ends the watch and shows its report, `%tensan on` begins a new one."""
        return _answer(line.strip())

    def cell(path: str) -> str | None:
        return _cell(shell, path)

    begin()
    shell.register_magic_function(tensan, magic_kind="line", magic_name="tensan")
    shell.tensan_cells = cell
    sites.naming.append(cell)


def unload(shell: Any) -> None:
    """Ends the watch and takes the magic back."""
    _end()
    shell.magics_manager.magics["line"].pop("tensan", None)
    with contextlib.suppress(ValueError):
        sites.naming.remove(shell.tensan_cells)


def _answer(word: str) -> Shown | None:
    from tensan.launch.session import Session

    if word == "off":
        return _end()
    if word not in ("", "on"):
        print(f"%tensan: expected nothing, on or off, got {word!r}")
        return None
    if word == "on":
        begin()
        return None
    session = Session.running()
    if session is None:
        print("nothing is watched; `%tensan on` begins")
        return None
    report = session.report()
    return Shown(report, session.text_of(report))


def _end() -> Shown | None:
    from tensan.launch.session import Session

    session = Session.running()
    if session is None:
        return None
    report = session.close(quiet=True)
    return Shown(report, session.text_of(report))


def _cell(shell: Any, path: str) -> str | None:
    """Returns what IPython itself calls a cell in its tracebacks, such as `Cell In[3]`."""
    found = shell.compile.format_code_name(path)
    return " ".join(found) if found is not None else None
