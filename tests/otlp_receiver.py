"""A real OTLP receiver on loopback, over gRPC or HTTP, that keeps what it is sent in the classes of opentelemetry-proto."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2, logs_service_pb2_grpc
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2, metrics_service_pb2_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

_REQUESTS = {
    "traces": trace_service_pb2.ExportTraceServiceRequest,
    "metrics": metrics_service_pb2.ExportMetricsServiceRequest,
    "logs": logs_service_pb2.ExportLogsServiceRequest,
}


class Received:
    """What came, by signal, flattened."""

    def __init__(self):
        self.requests = {"traces": [], "metrics": [], "logs": []}
        self.headers = []
        self.endpoint = ""

    def resources(self):
        for requests, inner in (("traces", "resource_spans"), ("metrics", "resource_metrics"), ("logs", "resource_logs")):
            for request in self.requests[requests]:
                yield from (attributes(each.resource) for each in getattr(request, inner))

    def spans(self):
        return [
            span
            for request in self.requests["traces"]
            for one in request.resource_spans
            for scope in one.scope_spans
            for span in scope.spans
        ]

    def logs(self):
        return [
            log
            for request in self.requests["logs"]
            for one in request.resource_logs
            for scope in one.scope_logs
            for log in scope.log_records
        ]

    def metrics(self):
        """The last collection of each metric, by name: its points."""
        found = {}
        for request in self.requests["metrics"]:
            for one in request.resource_metrics:
                for scope in one.scope_metrics:
                    for metric in scope.metrics:
                        found[metric.name] = list(getattr(metric, metric.WhichOneof("data")).data_points)
        return found


def attributes(thing):
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in thing.attributes}


@contextmanager
def over_grpc(*, credentials=None):
    received = Received()
    server = grpc.server(ThreadPoolExecutor(4))
    for signal, module, base in (
        ("traces", trace_service_pb2, trace_service_pb2_grpc.TraceServiceServicer),
        ("metrics", metrics_service_pb2, metrics_service_pb2_grpc.MetricsServiceServicer),
        ("logs", logs_service_pb2, logs_service_pb2_grpc.LogsServiceServicer),
    ):
        answer = next(getattr(module, name) for name in dir(module) if name.startswith("Export") and name.endswith("ServiceResponse"))

        def export(_self, request, context, signal=signal, answer=answer):
            received.requests[signal].append(request)
            received.headers.append(dict(context.invocation_metadata()))
            return answer()

        register = getattr(
            {"traces": trace_service_pb2_grpc, "metrics": metrics_service_pb2_grpc, "logs": logs_service_pb2_grpc}[signal],
            f"add_{base.__name__}_to_server",
        )
        register(type("Servicer", (base,), {"Export": export})(), server)
    port = server.add_insecure_port("127.0.0.1:0") if credentials is None else server.add_secure_port("localhost:0", credentials)
    received.endpoint = f"http://127.0.0.1:{port}" if credentials is None else f"https://localhost:{port}"
    server.start()
    try:
        yield received
    finally:
        server.stop(0)


@contextmanager
def over_http(*, tls=None):
    received = Received()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                import gzip

                body = gzip.decompress(body)
            signal = self.path.rpartition("/")[2]
            received.requests[signal].append(_REQUESTS[signal].FromString(body))
            received.headers.append(dict(self.headers))
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    received.endpoint = f"{'http://127.0.0.1' if tls is None else 'https://localhost'}:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield received
    finally:
        server.shutdown()
        server.server_close()
