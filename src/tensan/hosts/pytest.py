"""pytest: with `--tensan` each test is watched, and a finding fails it with the report.

The level that fails is that of `fail-on` (`[tool.tensan]`, `TENSAN_FAIL_ON`), and error where that says never. The failure
is a line for each cause and the report a section below it, also beside the traceback of a test that has failed by itself.
Without `--tensan` options are added, and nothing else of Tensan is imported. `--raise-cov` is in `raise_coverage.py`.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tensan.core.findings import Told
    from tensan.launch.session import Session


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--tensan`, and `--raise-cov` with its report."""
    group = parser.getgroup("tensan")
    group.addoption("--tensan", action="store_true", help="watch each test; findings of level error fail it")
    group.addoption(
        "--raise-cov",
        action="append",
        default=[],
        metavar="SOURCE",
        help="measure which raise statements of a file or folder the tests come to",
    )
    group.addoption(
        "--raise-cov-report",
        action="append",
        default=[],
        metavar="TYPE",
        help="term (the default), html or html:FOLDER; more than one may be given",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Watches only where that is asked for.

    Raises:
        pytest.UsageError: when a setting is wrong.
    """
    if config.getoption("raise_cov"):
        from tensan.hosts.raise_coverage import RaiseCoverage

        config.pluginmanager.register(RaiseCoverage.of(config), "tensan-raise-coverage")
    if not config.getoption("tensan"):
        return
    from tensan.core import settings
    from tensan.core.errors import TensanError
    from tensan.launch.session import Session, switched_off
    from tensan.launch.settling import settle

    if switched_off() or Session.running() is not None:  # under `tensan run -m pytest` the whole run is watched as one
        return
    try:
        settle(settings.load())
    except TensanError as error:
        raise pytest.UsageError(f"tensan: {error}") from error
    config.pluginmanager.register(Watching(), "tensan-watching")


class Watching:
    """Begins a watch before a test's fixtures are set up, and judges when the test itself has ended."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="tensan-pytest-"))
        self._count = 0
        self._session: Session | None = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        from tensan.launch.session import Session

        self._count += 1
        self._session = Session.start(flags={"quiet": True, "output": str(self._folder / str(self._count))}, script=item.nodeid)
        try:
            return (yield)
        finally:
            self._session.end(None)
            self._session = None
            shutil.rmtree(self._folder / str(self._count), ignore_errors=True)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        try:
            result = yield
        except BaseException as error:
            self._told(item, error)
            raise
        causes = self._told(item, None)
        if causes:
            from tensan.sinks.concise import finding_line

            # In few words, since pytest says them again in its summary; the report is the section that follows.
            pytest.fail("\n".join(map(finding_line, causes)), pytrace=False)
        return result

    def pytest_unconfigure(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _told(self, item: pytest.Item, error: BaseException | None) -> list[Told]:
        """Ends the watch of a test; returns what is to fail it, and keeps the report beside that."""
        from tensan.core.findings import Level

        session = self._session
        if session is None:
            return []
        report = session.end(None if isinstance(error, pytest.skip.Exception) else error)
        level = session.watch.settings.fail_on
        causes = report.at_least(Level[("error" if level == "never" else level).upper()])
        if causes:
            item.add_report_section("call", "tensan", session.text_of(report))
        return causes
