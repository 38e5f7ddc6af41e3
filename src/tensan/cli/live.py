"""Serves the page of a run that goes on, to this machine alone; the page looks by itself whether there is more to see."""

from __future__ import annotations

import secrets
import threading
import webbrowser
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TextIO

from tensan.core.errors import RunFileError
from tensan.core.report import Report
from tensan.launch.merged import merged, read_all

ADDRESS = "127.0.0.1"
#: The page loads nothing, stands in no other page, and is kept by nobody.
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class Page:
    """The page of a run, written anew when the run has gone on.

    Args:
        paths: the run files of all processes of the run, that of the first one first; asked anew at each look.
        hints: whether hints are shown.
    """

    def __init__(self, paths: Callable[[], Sequence[Path]], *, hints: bool = False) -> None:
        self._paths, self._hints = paths, hints
        self._lock = threading.Lock()
        self._version, self._text = "", ""

    def version(self) -> str:
        """Returns a word that changes whenever there is more to see; it begins with `ended` once all processes have.

        Raises:
            RunFileError: when the run cannot be read.
        """
        return self._look()[0]

    def text(self) -> str:
        """Returns the page.

        Raises:
            RunFileError: when the run cannot be read.
        """
        from tensan.sinks.html.document import page

        with self._lock:
            version, reports = self._look()
            if version != self._version:
                ranks = [f"{each.run.rank} at step {each.run.steps:,}" for each in reports] if len(reports) > 1 else []
                self._text, self._version = page(merged(reports), hints=self._hints, live=version, ranks=ranks), version
            return self._text

    def _look(self) -> tuple[str, list[Report]]:
        paths = self._paths()
        sizes = [path.stat().st_size if path.exists() else 0 for path in paths]
        reports = list(read_all(paths))
        going_on = any(report.run.status == "running" for report in reports)
        return "-".join(["running" if going_on else "ended", *map(str, sizes)]), reports


class Server(ThreadingHTTPServer):
    """Answers two questions, to those who know the secret part of the address: the page, and its version.

    Args:
        page: what is served.
    """

    daemon_threads = True

    def __init__(self, page: Page) -> None:
        super().__init__((ADDRESS, 0), _Handler)
        self.page = page
        self.secret = secrets.token_urlsafe(16)

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{ADDRESS}:{self.server_port}/{self.secret}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that has gone away is no error."""


class _Handler(BaseHTTPRequestHandler):
    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]
    timeout = 10

    def do_GET(self) -> None:
        """Answers a request, unless another page has been told that its own name is this machine's."""
        server = self.server
        if self.headers.get("Host") not in (f"{ADDRESS}:{server.server_port}", f"localhost:{server.server_port}"):
            return self._answer(HTTPStatus.FORBIDDEN, "unknown host\n")
        answers = {f"/{server.secret}/": (server.page.text, "html"), f"/{server.secret}/version": (server.page.version, "plain")}
        answer, kind = answers.get(self.path, (None, "plain"))
        if answer is None:
            return self._answer(HTTPStatus.NOT_FOUND, "nothing here\n")
        try:
            return self._answer(HTTPStatus.OK, answer(), kind)
        except (RunFileError, OSError) as error:
            return self._answer(HTTPStatus.SERVICE_UNAVAILABLE, f"{error}\n")

    def _answer(self, status: HTTPStatus, text: str, kind: str = "plain") -> None:
        body = text.encode(errors="backslashreplace")
        self.send_response(status)
        for name, value in (_HEADERS | {"Content-Type": f"text/{kind}; charset=utf-8", "Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def version_string(self) -> str:
        """What serves is nobody's business."""
        return "tensan"

    def log_message(self, format: str, *args: object) -> None:
        """The terminal is for the run."""


def serve(paths: Callable[[], Sequence[Path]], stream: TextIO, *, hints: bool = False, browser: bool = False) -> None:
    """Serves the page of a run until Ctrl-C, which never ends the run.

    Args:
        paths: the run files of all processes of the run.
        stream: told the address.
        hints: whether hints are shown.
        browser: whether the page is opened.

    Raises:
        RunFileError: when the run cannot be read at all.
    """
    page = Page(paths, hints=hints)
    page.version()
    with Server(page) as server:
        stream.write(f"tensan: the run as it goes on: {server.url} (this machine alone; Ctrl-C ends the page, not the run)\n")
        stream.flush()
        if browser:  # one that draws in a terminal returns when it is left
            threading.Thread(target=webbrowser.open, args=(server.url,), daemon=True).start()
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            stream.write("\n")
