"""Exceptions of gRPC of a first round that was held out: 67 of the 82 that it raised were right when it was first scored."""

import asyncio
from concurrent import futures

import grpc
from harness import means


class Handler(grpc.GenericRpcHandler):
    def service(self, details):
        name = details.method.rpartition("/")[2]
        if name == "large":
            return grpc.unary_unary_rpc_method_handler(lambda request, context: b"x" * (5 << 20))
        if name == "stream":
            return grpc.unary_stream_rpc_method_handler(self.stream)
        return None

    def stream(self, request, context):
        yield b"first"
        context.abort(grpc.StatusCode.UNAVAILABLE, "going away")


SERVER = grpc.server(futures.ThreadPoolExecutor(1), handlers=[Handler()])
PORT = SERVER.add_insecure_port("127.0.0.1:0")
SERVER.start()


@means("ServingError")
def message_too_large():
    with grpc.insecure_channel(f"127.0.0.1:{PORT}") as channel:
        channel.unary_unary("/s/large")(b"", timeout=10)


@means("ServingError")
def stream_that_breaks():
    with grpc.insecure_channel(f"127.0.0.1:{PORT}") as channel:
        list(channel.unary_stream("/s/stream")(b"", timeout=10))


@means("ServingError")
def method_that_is_none():
    with grpc.insecure_channel(f"127.0.0.1:{PORT}") as channel:
        channel.unary_unary("/s/none")(b"", timeout=10)


@means("ServingError")
def asynchronous_call_to_nobody():
    async def call():
        async with grpc.aio.insecure_channel("127.0.0.1:1") as channel:
            await channel.unary_unary("/s/m")(b"", timeout=5)

    asyncio.run(call())


@means("ServingError")
def port_that_is_taken():
    grpc.server(futures.ThreadPoolExecutor(1), options=[("grpc.so_reuseport", 0)]).add_insecure_port(f"127.0.0.1:{PORT}")
