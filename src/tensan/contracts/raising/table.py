"""Shows which raise sites were come to, in coverage.py's conventions: a table for terminals, and pages with the source."""

from __future__ import annotations

import html
import linecache
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from pathlib import Path

from tensan.contracts.raising.sites import RaiseSite

_STYLE = """body{font:14px system-ui;margin:2em;color:#222}table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right}
td:first-child,th:first-child{text-align:left}tr.total{border-top:1px solid;font-weight:600}pre{line-height:1.4}
.run{background:#dfd}.mis{background:#fdd}.n{color:#999;user-select:none}
@media(prefers-color-scheme:dark){body{background:#1b1b1b;color:#ddd}.run{background:#143514}.mis{background:#4a1c1c}a{color:#8bf}}"""


def text(sites: Iterable[RaiseSite], hit: Collection[RaiseSite]) -> str:
    """Returns the table: for each file its raise sites, those missed, the share that was come to, and the lines of the missed."""
    counted = [(path, num, len(missed), ", ".join(missed)) for path, num, missed in _by_file(sites, hit)]
    rows = [(_shown(path), str(num), str(missed), _percent(num, missed), lines) for path, num, missed, lines in counted]
    num, missed = sum(each[1] for each in counted), sum(each[2] for each in counted)
    total = ("TOTAL", str(num), str(missed), _percent(num, missed), "")
    head = ("Name", "Raises", "Miss", "Cover", "Missing")
    widths = [max(len(row[column]) for row in (head, *rows, total)) for column in range(5)]
    line = "-" * (sum(widths[:4]) + 9 + max(widths[4], len(head[4])))

    def shown(row: Sequence[str]) -> str:
        return f"{row[0]:<{widths[0]}}   {row[1]:>{widths[1]}} {row[2]:>{widths[2]}}  {row[3]:>{widths[3]}}   {row[4]}".rstrip()

    return "\n".join([shown(head), line, *map(shown, rows), line, shown(total)])


def write_html(sites: Iterable[RaiseSite], hit: Collection[RaiseSite], folder: Path) -> Path:
    """Writes an index and a page for each file, its raise sites marked; returns the index."""
    sites = sorted(sites)
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[str] = []
    for number, (path, num, missed) in enumerate(_by_file(sites, hit)):
        name = _shown(path)
        page = f"f{number}_{Path(name).stem}.html"
        (folder / page).write_text(_page(name, path, [site for site in sites if site.path == path], hit), encoding="utf-8")
        cells = (f'<a href="{page}">{html.escape(name)}</a>', num, len(missed), _percent(num, len(missed)))
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    num, reached = len(sites), len([site for site in sites if site in hit])
    total = "".join(f"<td>{cell}</td>" for cell in ("Total", num, num - reached, _percent(num, num - reached)))
    head = "".join(f"<th>{word}</th>" for word in ("File", "raises", "missing", "coverage"))
    body = f"<h1>Raise paths: {_percent(num, num - reached)}</h1><table><tr>{head}</tr>{''.join(rows)}<tr class=total>{total}</tr></table>"
    index = folder / "index.html"
    index.write_text(_document("Raise paths", body), encoding="utf-8")
    return index


def _by_file(sites: Iterable[RaiseSite], hit: Collection[RaiseSite]) -> list[tuple[str, int, list[str]]]:
    found: list[tuple[str, int, list[str]]] = []
    for path, members in groupby(sorted(sites), key=lambda site: site.path):
        known = list(members)
        found.append((path, len(known), [str(site.line) for site in known if site not in hit]))
    return found


def _page(name: str, path: str, sites: Sequence[RaiseSite], hit: Collection[RaiseSite]) -> str:
    marks = {line: "run" if site in hit else "mis" for site in sites for line in range(site.line, site.end + 1)}
    lines = [
        f'<span id="t{number}" class="{marks.get(number, "")}"><span class=n>{number:>5} </span>{html.escape(line.rstrip())}</span>'
        for number, line in enumerate(linecache.getlines(path), 1)
    ]
    back = '<p><a href="index.html">index</a></p>'
    return _document(name, f"<h1>{html.escape(name)}</h1>{back}<pre>{chr(10).join(lines)}</pre>")


def _document(title: str, body: str) -> str:
    return f"<!doctype html><meta charset=utf-8><title>{html.escape(title)}</title><style>{_STYLE}</style>{body}\n"


def _shown(path: str) -> str:
    """Returns a path as coverage.py shows it: below the working folder where it lies there."""
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path


def _percent(num: int, missed: int) -> str:
    """Returns the share that was come to; 100 % and 0 % stand for all and none, as coverage.py has it."""
    if not missed:
        return "100%"
    return f"{min(max(round(100 * (num - missed) / num), 0 if missed == num else 1), 99)}%"
