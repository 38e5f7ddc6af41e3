"""What TensorFlow's exceptions mean. Its classes are status codes, of which InvalidArgumentError says little without its words."""

from tensan.contracts.exceptions.law import Law
from tensan.core.faults import (
    DataContractError,
    DeviceError,
    DistributedError,
    GradientFlowError,
    GraphError,
    NumericError,
    OutOfMemory,
    Phase,
    ShapeMismatchError,
    TracingError,
    UnsupportedControlFlow,
)

_OP = "tensorflow.OpError"

LAWS = (
    Law("tensorflow.ResourceExhaustedError", "", OutOfMemory),
    Law("tensorflow.OperatorNotAllowedInGraphError", "", UnsupportedControlFlow),
    Law("tensorflow.InaccessibleTensorError", "", TracingError),
    Law("TypeError", r"is out of scope and cannot be used here", TracingError, "return the tensor from the function that made it"),
    Law(
        "AttributeError NotImplementedError",
        r"'SymbolicTensor' object has no attribute 'numpy'|numpy\(\) is only available when eager|symbolic tf\.Tensor .* to a numpy array",
        TracingError,
    ),
    Law(
        "ValueError",
        r"tf\.function only supports singleton tf\.Variables|tf\.function-decorated function tried to create variables",
        TracingError,
        "make variables once, outside of the function or in `__init__`",
    ),
    Law(
        "tensorflow.OpError",
        r"had (NaN|Inf|-Inf)|Infinity or NaN|not invertible|cholesky|singular|did not converge|NaN or Inf",
        NumericError,
    ),
    Law(
        "tensorflow.OpError ValueError",
        r"device specification|unknown device|no device|not a valid device|CUDA_ERROR|cannot assign a device",
        DeviceError,
    ),
    Law("tensorflow.OpError", r"is not in the list of allowed values|No OpKernel|no registered|not supported|unsupported", GraphError),
    Law(
        "tensorflow.OpError",
        r"expected to be an? \w+ tensor but|expects? .*dtype|trying to (read|assign) .*wrong dtype|is not in \[|out of (range|bounds)|outside the valid range|did not hold|not a valid index",
        DataContractError,
    ),
    Law(
        "tensorflow.OpError",
        r"incompatible shapes|size-incompatible|dimensions? .*(must|should|mismatch|match)|shapes? .*(must|mismatch|same|equal|incompatible|match|broadcast)|requested shape|can not squeeze|expected (a )?dimension|different shapes|broadcastable|must be (at least )?(rank|\d+-?D|a (vector|matrix|scalar))|input to reshape|number of (channels|dimensions)|input depth",
        ShapeMismatchError,
    ),
    Law("tensorflow.OutOfRangeError", "", DataContractError, "the dataset has no further element: `repeat()` it, or stop there"),
    Law(
        "tensorflow.DataLossError tensorflow.NotFoundError tensorflow.AlreadyExistsError tensorflow.PermissionDeniedError",
        "",
        DataContractError,
    ),
    Law("tensorflow.UnavailableError tensorflow.AbortedError tensorflow.DeadlineExceededError", "", DistributedError, retryable=True),
    Law("tensorflow.CancelledError", "", DistributedError),
    Law("tensorflow.UnimplementedError", "", GraphError),
    Law(
        "ValueError",
        r"dimensions must be equal|shapes? .*(must|are|is) (be )?(the same|equal|incompatible|not compatible)|shape mismatch|incompatible shape|shape must be|Cannot (reshape|assign value)",
        ShapeMismatchError,
    ),
    Law(
        "RuntimeError",
        r"GradientTape can only be used",
        GradientFlowError,
        "`tf.GradientTape(persistent=True)`, or ask for all gradients at once",
    ),
    Law("ValueError LookupError", r"no gradient (defined|registered)", GradientFlowError),
    Law(
        "ValueError TypeError",
        r"non-rectangular Python sequence|cannot convert .* to (a )?(tensor|EagerTensor)|Failed to convert|Tensor conversion requested dtype|Attempt to convert a value",
        DataContractError,
    ),
    Law(
        "ValueError TypeError",
        r"must have the same (type|nested structure|dtypes)|true_fn and false_fn|loop body|structure",
        TracingError,
        phase=Phase.TRACE,
    ),
)

REST = (
    Law("tensorflow.InvalidArgumentError", "", DataContractError),
    Law("tensorflow.FailedPreconditionError tensorflow.InternalError", "", GraphError, phase=Phase.RUN),
    Law(_OP, "", GraphError, phase=Phase.RUN),
)
