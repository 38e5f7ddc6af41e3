"""Exceptions of gRPC that were written after the laws had been mended for the second time and committed."""

import grpc
from harness import means


@means("ServingError")
def stream_from_nobody():
    with grpc.insecure_channel("127.0.0.1:1") as channel:
        next(channel.unary_stream("/s/m")(b"", timeout=5))


@means("ServingError")
def name_that_does_not_resolve():
    with grpc.insecure_channel("no-such-host.invalid:1") as channel:
        channel.unary_unary("/s/m")(b"", timeout=5)
