"""What the exceptions of ONNX and ONNX Runtime mean. `Fail` is raised for at least eight kinds of mistake, so that words decide."""

from tensan.contracts.exceptions.law import Law
from tensan.core.faults import (
    DataContractError,
    DeviceAssert,
    DeviceError,
    GraphError,
    LaunchFailure,
    NumericError,
    OutOfMemory,
    Phase,
    ServingError,
    ShapeMismatchError,
)

_ANY = "onnxruntime.*"
_SERVE = Phase.SERVE

LAWS = (
    Law(_ANY, r"failed to allocate memory|out of memory|bad_alloc|BFCArena", OutOfMemory, phase=_SERVE),
    Law(_ANY, r"device-side assert", DeviceAssert, phase=_SERVE),
    Law(_ANY, r"CUDA (failure|error).*(illegal memory|launch failure)", LaunchFailure, phase=_SERVE),
    Law("onnxruntime.DeviceReset", "", DeviceError, "make the session anew on the device once it is back", phase=_SERVE),
    Law(_ANY, r"CUDA|cuDNN|CUBLAS|TensorRT", DeviceError, phase=_SERVE),
    Law("onnxruntime.EPFail onnxruntime.EngineError", "", DeviceError, phase=_SERVE),
    Law(_ANY, r"terminate flag", ServingError, "the run was stopped from outside, for example at its deadline", retryable=True),
    Law(
        "onnxruntime.NoSuchFile onnxruntime.NotFound onnxruntime.NoModel onnxruntime.ModelLoaded onnxruntime.ModelLoadCanceled onnxruntime.ModelRequiresCompilation",
        "",
        ServingError,
        "check the path, and that the files of external data lie beside the model",
    ),
    Law("onnxruntime.InvalidProtobuf onnxruntime.InvalidGraph onnxruntime.NotImplemented", "", GraphError),
    Law(
        _ANY,
        r"invalid model|no graph was found|opset|no op registered|Load model .* failed|ir_version|IR version|Type Error|type inference|shape inference error|initializer",
        GraphError,
    ),
    Law(
        _ANY,
        r"invalid (rank|dimensions) for|dimension mismatch|broadcast|cannot be reshaped|dimensions?\b.*(match|mismatch|must|equal)|shapes?\b.*(match|mismatch|must|equal|same|incompatible)|incompatible dimensions|!= (input|filter)|rank",
        ShapeMismatchError,
        phase=_SERVE,
    ),
    Law(
        _ANY,
        r"unexpected input data type|out of (data )?bounds|out of range|invalid (output|input|feed) name|invalid feed|missing input|data type",
        DataContractError,
        phase=_SERVE,
    ),
    Law(_ANY, r"division by zero|not invertible|singular", NumericError, phase=_SERVE),
    Law(
        "ValueError",
        r"Required inputs \(.*\) are missing|Model requires \d+ inputs",
        DataContractError,
        "give each input under the name that `session.get_inputs()` tells",
        phase=_SERVE,
    ),
    Law(
        "ValueError RuntimeError",
        r"execution provider|provider",
        DeviceError,
        "`onnxruntime.get_available_providers()` lists what this build has",
        phase=Phase.BUILD,
    ),
    Law(
        "RuntimeError TypeError",
        r"Input '.*' must|input type|unsupported .*(type|object)|unable to (infer|create|handle).*(tensor|OrtValue)",
        DataContractError,
        phase=_SERVE,
    ),
    Law("onnx.ValidationError onnx.InferenceError onnx.ConvertError", "", GraphError),
    Law("google.DecodeError", "", GraphError, "the file is no model, or was cut short"),
)

REST = (
    Law("onnxruntime.InvalidArgument", "", DataContractError, phase=_SERVE),
    Law(_ANY, "", ServingError),
)
