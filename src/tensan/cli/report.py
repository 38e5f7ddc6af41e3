"""Show the report of a run again, in any format."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from tensan.cli.parser import Parser
from tensan.core import plugins, runfile, settings
from tensan.core.errors import UsageError
from tensan.core.report import Report, patch_of

_EPILOG = """\
examples:
  tensan report                                     the latest run
  tensan report -v                                  with hints, evidence and what was armed
  tensan report --format json -o found.json         as a document
  tensan report --patch | git apply                 make the edits that are known exactly
  tensan report --format html --open                as a page, in the browser
  tensan report --picture                           the graph of a step as text, an arrow where a finding stands
  tensan report --follow                            of a run that goes on: status, curves and findings as they come
  tensan report --follow --open                     the same as a page in the browser, which keeps itself up to date
  tensan report --follow --html                     the same page, served on this machine; its address is shown
  tensan report .tensan/runs/20250101-120000-42.jsonl
"""

#: Endings of the files that `--open` writes beside the run file.
_SUFFIXES = {"html": "html", "json": "json.txt", "sarif": "sarif"}


def configure(parser: Parser) -> None:
    """Adds the options."""
    parser.epilog = _EPILOG
    parser.add_argument("run", nargs="?", metavar="RUN", help="a run file or a JSON report (default: the latest run)")
    parser.add_argument("--format", metavar="F", help="how it is shown: " + ", ".join(sorted(plugins.sinks())) + " (default: full)")
    parser.add_argument("--html", dest="format", action="store_const", const="html", help="the same as --format html")
    parser.add_argument("-o", "--output", metavar="FILE", help="write it to a file")
    parser.add_argument("--patch", action="store_true", help="write the edits that are known exactly as a unified diff, for `git apply`")
    parser.add_argument("--picture", action="store_true", help="show a recorded step: modules, shapes, gradients, and where findings stand")
    parser.add_argument("--open", action="store_true", help="show it in the browser; written as html where no other format is named")
    parser.add_argument("--follow", action="store_true", help="show a run until it ends, with --open as a page; Ctrl-C leaves it alone")
    parser.add_argument("-v", "--verbose", action="store_true", help="show hints, evidence, what was armed, and what watching cost")


def execute(options: argparse.Namespace) -> int:
    """Renders the report.

    Raises:
        UsageError: for an unknown format or an output that cannot be written.
        RunFileError: when the run cannot be read.
    """
    from tensan.launch.merged import merged, read_all
    from tensan.launch.output import make_sink, write_whole
    from tensan.launch.ranks import together

    held = settings.load()
    path = Path(options.run) if options.run else runfile.latest(Path(held.output))
    if options.follow:
        return _follow(path, options, hints=options.verbose or held.verbose or held.preview)
    report = merged(list(read_all(together(path))))
    if options.patch:
        if options.format or options.open:
            raise UsageError("--patch: is a format of its own; leave out --format and --open")
        return _write_text(patch_of(report, folder=_repository(Path.cwd())), options.output)
    if options.picture:
        if options.format or options.open:
            raise UsageError("--picture: is a format of its own; leave out --format and --open")
        return _write_text(_picture(report, hints=options.verbose or held.verbose or held.preview), options.output)
    name = options.format or ("html" if options.open else held.format)
    sink = make_sink(name, verbose=options.verbose or held.verbose, hints=held.preview, limited=False)
    if sink is None:
        raise UsageError(f"format: expected one of {', '.join(sorted(plugins.sinks()))}, got {name!r}")
    if options.open and not options.output:
        options.output = str(path.with_suffix(f".{_SUFFIXES.get(name, 'txt')}"))
    if not options.output or options.output == "-":
        sink.write(report, sys.stdout)
        sys.stdout.flush()
        return 0
    try:
        write_whole(Path(options.output), partial(sink.write, report))
    except OSError as error:
        raise UsageError(f"{options.output}: cannot be written: {error.strerror or error}") from error
    if options.open:
        _open(Path(options.output).absolute())
    return 0


def _open(path: Path) -> None:
    import webbrowser

    if not webbrowser.open(path.as_uri()):
        print(f"tensan: no browser was found; the report is {path}", file=sys.stderr)


def _follow(path: Path, options: argparse.Namespace, *, hints: bool) -> int:
    from tensan.cli.follow import follow
    from tensan.cli.live import serve
    from tensan.launch.ranks import together

    if options.format not in (None, "html") or options.output or options.patch or options.picture:
        raise UsageError("report: --follow goes with --open and --html, and with no other format, --output, --patch or --picture")
    if options.open or options.format == "html":
        serve(lambda: together(path), sys.stdout, hints=hints, browser=options.open)
    else:
        follow(lambda: together(path), sys.stdout, hints=hints)
    return 0


def _picture(report: Report, *, hints: bool) -> str:
    from tensan.sinks._outline import outline
    from tensan.sinks._shown import shown

    if not report.diagrams:
        return "no step of this run was recorded operation by operation: `tensan report -v` says what was not checked\n"
    found = shown(report, hints=hints)
    return "\n".join("".join(line + "\n" for line in outline(diagram, found)) for diagram in report.diagrams)


def _write_text(text: str, output: str | None) -> int:
    from tensan.launch.output import write_whole

    if not output or output == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return 0
    try:
        write_whole(Path(output), lambda stream: stream.write(text))
    except OSError as error:
        raise UsageError(f"{output}: cannot be written: {error.strerror or error}") from error
    return 0


def _repository(folder: Path) -> str:
    return str(next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder))
