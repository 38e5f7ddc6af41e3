"""What gRPC's exceptions mean: the status says whether it may be tried again, and who has to change something."""

from tensan.contracts.exceptions.law import Law
from tensan.core.faults import Phase, ServingError

_RPC = "grpc.RpcError"


def _status(names: str, hint: str, *, retryable: bool = False) -> Law:
    return Law(_RPC, rf"StatusCode\.({names})\b", ServingError, hint, phase=Phase.SERVE, retryable=retryable)


LAWS = (
    _status("UNAVAILABLE", "the server is not there or not ready: wait, and try again", retryable=True),
    _status("ABORTED", "it ran into another call: begin the whole transaction again", retryable=True),
    _status("DEADLINE_EXCEEDED", "it took longer than allowed: look at the server's load before the deadline is made longer"),
    _status(
        "RESOURCE_EXHAUSTED", "a quota, queue or message size is used up: send less; try again only when the answer says after how long"
    ),
    _status("INVALID_ARGUMENT|OUT_OF_RANGE", "the request itself is wrong, and stays so: mend it"),
    _status(
        "NOT_FOUND|ALREADY_EXISTS|FAILED_PRECONDITION", "name, version or state of the model is not what the request takes for granted"
    ),
    _status("UNAUTHENTICATED|PERMISSION_DENIED", "the caller is not known, or may not do this"),
    _status("UNIMPLEMENTED", "the server has no such method: compare the service's version"),
    _status("CANCELLED", "the caller gave up"),
    _status("INTERNAL|UNKNOWN|DATA_LOSS", "the server failed: its log tells why"),
    Law(
        "grpc.FutureTimeoutError",
        "",
        ServingError,
        "the channel did not become ready in time: is the server there?",
        phase=Phase.SERVE,
        retryable=True,
    ),
    Law("grpc.FutureCancelledError grpc.AbortError", "", ServingError, phase=Phase.SERVE),
    Law(
        "ValueError grpc.UsageError",
        r"(on|with) closed channel|channel (is )?closed|RPC on closed",
        ServingError,
        "make the channel live as long as its stubs",
        phase=Phase.SERVE,
    ),
    Law(
        "RuntimeError",
        r"Failed to bind to address|server (is )?(already|not) (started|running|stopped)|cannot (add|start)",
        ServingError,
        "another process has this port, or the server was used out of order",
        phase=Phase.SERVE,
    ),
)

REST = (Law("grpc.*", "", ServingError),)
