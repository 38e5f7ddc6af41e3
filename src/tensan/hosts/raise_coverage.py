"""pytest: `--raise-cov SOURCE` tells which raise statements the tests come to, also where pytest-xdist spreads them over processes."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tensan.contracts.raising.sites import RaiseSite, sites_in
from tensan.contracts.raising.table import text, write_html
from tensan.contracts.raising.watching import Watching

_KEY = "tensan_raise_coverage"


class RaiseCoverage:
    """Measures in each process, and reports in the one that collects.

    Args:
        sites: all raise sites of the sources.
        reports: what to make: `term`, `html`, `html:FOLDER`.
    """

    def __init__(self, sites: Iterable[RaiseSite], reports: Sequence[str]) -> None:
        self.sites = tuple(sites)
        self.reports = reports
        self.hit: set[RaiseSite] = set()

    @classmethod
    def of(cls, config: pytest.Config) -> RaiseCoverage:
        """Returns what the options of a run ask for.

        Raises:
            pytest.UsageError: when a source is not there, or a report is unknown.
        """
        files: list[Path] = []
        for source in map(Path, config.getoption("raise_cov") or ()):
            path = (config.invocation_params.dir / source).resolve()
            if not path.exists():
                raise pytest.UsageError(f"--raise-cov: {source}: no such file or folder")
            files += [path] if path.is_file() else sorted(path.rglob("*.py"))
        reports = config.getoption("raise_cov_report") or ["term"]
        for report in reports:
            if report.partition(":")[0] not in ("term", "html") or report.startswith("term:"):
                raise pytest.UsageError(f"--raise-cov-report: {report!r}; allowed are term, html and html:FOLDER")
        return cls([site for file in files for site in sites_in(str(file))], reports)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        watching = Watching(self.sites)
        with watching:
            result = yield
        self.hit |= watching.hit
        return result

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:  # a process of pytest-xdist: the one that collects gets what was heard here
            output[_KEY] = sorted((site.path, site.line) for site in self.hit)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        heard = {(path, line) for path, line in getattr(node, "workeroutput", {}).get(_KEY, ())}
        self.hit |= {site for site in self.sites if (site.path, site.line) in heard}

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for report in self.reports:
            kind, _, folder = report.partition(":")
            if kind == "term":
                terminalreporter.section("raise coverage")
                terminalreporter.write_line(text(self.sites, self.hit))
            else:
                index = write_html(self.sites, self.hit, Path(folder or "htmlraise"))
                terminalreporter.write_line(f"Raise coverage HTML written to {index}")
