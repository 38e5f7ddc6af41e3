"""Exceptions of gRPC, from a server and clients on this machine, that the classifier was written with."""

from concurrent import futures

import grpc
from harness import means


class Handler(grpc.GenericRpcHandler):
    def service(self, details):
        code = getattr(grpc.StatusCode, details.method.rpartition("/")[2])
        return grpc.unary_unary_rpc_method_handler(lambda request, context: context.abort(code, "as asked for"))


SERVER = grpc.server(futures.ThreadPoolExecutor(1), handlers=[Handler()])
PORT = SERVER.add_insecure_port("127.0.0.1:0")
SERVER.start()


def call(name, port=None, timeout=5):
    with grpc.insecure_channel(f"127.0.0.1:{port or PORT}") as channel:
        channel.unary_unary(f"/s/{name}")(b"", timeout=timeout)


@means("ServingError")
def nobody_there():
    call("OK", port=1, timeout=5)


@means("ServingError")
def too_late():
    with grpc.insecure_channel("127.0.0.1:1") as channel:
        channel.unary_unary("/s/m")(b"", timeout=0.05, wait_for_ready=True)


@means("ServingError")
def argument_refused():
    call("INVALID_ARGUMENT")


@means("ServingError")
def not_found():
    call("NOT_FOUND")


@means("ServingError")
def exhausted():
    call("RESOURCE_EXHAUSTED")


@means("ServingError")
def internal():
    call("INTERNAL")


@means("ServingError")
def unimplemented():
    call("UNIMPLEMENTED")


@means("ServingError")
def never_ready():
    grpc.channel_ready_future(grpc.insecure_channel("127.0.0.1:1")).result(timeout=0.1)


@means("ServingError")
def handler_that_fails():
    call("NO_SUCH_CODE")


@means("ServingError")
def closed_channel():
    channel = grpc.insecure_channel(f"127.0.0.1:{PORT}")
    channel.close()
    channel.unary_unary("/s/OK")(b"")
