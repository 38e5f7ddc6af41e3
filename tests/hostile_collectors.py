"""Collectors of telemetry that are dead or hostile, on loopback; for the tests, and for the bench of what watching costs beside them."""

import socket
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from otlp_receiver import over_http


@contextmanager
def listening(talk):
    """A server that accepts, and hands each connection to `talk`."""
    server = socket.create_server(("127.0.0.1", 0))
    kept = []

    def serve():
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            kept.append(connection)
            talk(connection)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
    finally:
        server.close()
        for connection in kept:
            connection.close()


@contextmanager
def answering(status, *, after=0.0, body=b"", promised=None):
    """An HTTP server that reads each request and then answers so."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            time.sleep(after)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body) if promised is None else promised))
            self.close_connection = True
            with suppress(BrokenPipeError, ConnectionResetError):  # who asked has not waited
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_args):
            pass

        def finish(self):
            try:
                super().finish()
            except OSError:
                return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads, server.block_on_close = True, False
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def refusing():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    yield f"http://127.0.0.1:{port}"


@contextmanager
def plain_for_tls():
    with over_http() as received:
        yield received.endpoint.replace("http:", "https:")


@contextmanager
def nowhere():
    yield "http://collector.invalid:4318"


COLLECTORS = {
    "refuses, http": (refusing, "http/protobuf"),
    "refuses, grpc": (refusing, "grpc"),
    "never answers, http": (lambda: listening(lambda _: None), "http/protobuf"),
    "never answers, grpc": (lambda: listening(lambda _: None), "grpc"),
    "hangs up": (lambda: listening(lambda connection: connection.close()), "http/protobuf"),
    "talks garbage, http": (lambda: listening(lambda connection: connection.sendall(b"\xff\x00garbage\r\n\r\n")), "http/protobuf"),
    "talks garbage, grpc": (lambda: listening(lambda connection: connection.sendall(b"\xff\x00garbage\r\n\r\n")), "grpc"),
    "closes in the middle of its answer": (lambda: answering(503, body=b"half", promised=100), "http/protobuf"),
    "answers 500": (lambda: answering(500), "http/protobuf"),
    "answers 400": (lambda: answering(400), "http/protobuf"),
    "answers after longer than anybody waits": (lambda: answering(200, after=20), "http/protobuf"),
    "speaks no TLS": (plain_for_tls, "http/protobuf"),
    "has no address": (nowhere, "grpc"),
    "is to be spoken to in an unknown way": (refusing, "carrier/pigeon"),
}
