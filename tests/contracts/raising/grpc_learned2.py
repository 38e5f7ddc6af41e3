"""Exceptions of gRPC of a second round that was held out: 48 of 57 were right when it was first scored."""

import asyncio
from concurrent import futures

import grpc
from harness import means


class Handler(grpc.GenericRpcHandler):
    def service(self, details):
        return grpc.stream_unary_rpc_method_handler(lambda requests, context: b"".join(requests))


SERVER = grpc.server(futures.ThreadPoolExecutor(1), handlers=[Handler()])
PORT = SERVER.add_insecure_port("127.0.0.1:0")
SERVER.start()


@means("ServingError")
def call_that_is_cancelled():
    with grpc.insecure_channel(f"127.0.0.1:{PORT}") as channel:
        import threading

        never = threading.Event()
        call = channel.stream_unary("/s/m").future(iter(lambda: never.wait(2) or b"", None), timeout=5)
        call.cancel()
        call.result()


@means("ServingError")
def request_that_is_no_bytes():
    with grpc.insecure_channel(f"127.0.0.1:{PORT}") as channel:
        channel.unary_unary("/s/m", request_serializer=lambda request: request.encode())(7, timeout=5)


@means("ServingError")
def asynchronous_deadline():
    async def call():
        async with grpc.aio.insecure_channel("127.0.0.1:1") as channel:
            await channel.unary_unary("/s/m")(b"", timeout=0.05, wait_for_ready=True)

    asyncio.run(call())
