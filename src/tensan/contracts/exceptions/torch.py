"""What PyTorch's exceptions mean. Most are RuntimeError, so that only their words tell them apart."""

from tensan.contracts.exceptions.law import Law
from tensan.core.faults import (
    DataContractError,
    DeviceAssert,
    DeviceError,
    DisconnectedGradient,
    DistributedError,
    GradientFlowError,
    GraphError,
    LaunchFailure,
    NonFiniteGradient,
    NumericError,
    OutOfMemory,
    Phase,
    ShapeMismatchError,
    TracingError,
    UnsupportedControlFlow,
)

LAWS = (
    # ---- hardware; AcceleratorError is what CUDA's errors are raised as since 2.8 ----
    Law("torch.OutOfMemoryError", "", OutOfMemory),
    Law(
        "RuntimeError",
        r"DefaultCPUAllocator: (can't allocate memory|not enough memory)|(CUDA|HIP|MPS) (error: )?(backend )?out of memory",
        OutOfMemory,
    ),
    Law("RuntimeError", r"CUBLAS_STATUS_ALLOC_FAILED|CUDNN_STATUS_ALLOC_FAILED", OutOfMemory),
    Law("RuntimeError", r"device-side assert", DeviceAssert),
    Law(
        "RuntimeError",
        r"(CUDA|HIP) error: .*(illegal memory access|launch failure|misaligned address|illegal instruction|invalid program counter|hardware stack)",
        LaunchFailure,
    ),
    Law("RuntimeError", r"CUBLAS_STATUS_(EXECUTION_FAILED|INTERNAL_ERROR)|CUDNN_STATUS_(EXECUTION_FAILED|MAPPING_ERROR)", LaunchFailure),
    Law(
        "RuntimeError",
        r"(CUDA|HIP) error: (initialization|all CUDA-capable devices are busy)",
        DeviceError,
        "start worker processes with the `spawn` method, and look whether another process holds the device",
    ),
    Law("torch.AcceleratorError", "", DeviceError),
    Law(
        "AssertionError",
        r"Torch not compiled with .* enabled",
        DeviceError,
        "this build of PyTorch has no support for that device: install one that has, or use `device='cpu'`",
    ),
    Law(
        "RuntimeError",
        r"Found no NVIDIA driver|No (CUDA|HIP) GPUs are available|invalid device ordinal|Invalid device string|Cannot access accelerator device",
        DeviceError,
    ),
    Law(
        "RuntimeError",
        r"expected all tensors to be on the same device|is not on the expected device|Expected .* on (the )?(same )?device|Input type \(.*\) and (weight|bias) type \(.*(cuda|mps|xpu).*\)",
        DeviceError,
        "move model and inputs to one device: `x = x.to(next(model.parameters()).device)`",
    ),
    Law("RuntimeError", r"meta tensor; no data|on a meta tensor|Attempting to deserialize object on", DeviceError),
    # ---- several processes ----
    Law("torch.DistNetworkError torch.DistStoreError", "", DistributedError, retryable=True),
    Law("torch.DistError torch.RendezvousError torch.ChildFailedError", "", DistributedError),
    Law(
        "RuntimeError ValueError",
        r"default process group|process group has (not|already) been|init_process_group|Connection (closed|reset) by peer|\b(NCCL|gloo|Gloo|ProcessGroup)\w*\b|collective operation|\bBroken pipe\b|Timed out waiting .* for (recv|send|all)",
        DistributedError,
    ),
    # ---- backward ----
    Law(
        "RuntimeError",
        r"does not require grad and does not have a grad_fn|appears to not have been used in the graph|(None of the|no) .*require(s)? grad",
        DisconnectedGradient,
    ),
    Law(
        "RuntimeError",
        r"grad can be implicitly created only for scalar",
        GradientFlowError,
        "reduce the loss to one number, with `.mean()` or `.sum()`, before backward",
    ),
    Law(
        "RuntimeError",
        r"backward through the graph a second time",
        GradientFlowError,
        "compute the loss anew for each backward, or detach what is carried over from the last step",
    ),
    Law(
        "RuntimeError",
        r"modified by an inplace operation|is a view and (is being|its base)|leaf Variable that requires grad .*in-place|in-?place operations?.*(grad|backward)",
        GradientFlowError,
        "write the result to a new tensor instead of in place",
    ),
    Law(
        "RuntimeError",
        r"Can't call numpy\(\) on Tensor that requires grad",
        GradientFlowError,
        "`x.detach().numpy()`, where nothing computed from it is to be trained",
        phase=Phase.RUN,
    ),
    Law("RuntimeError", r"returned nan values in its|gradients? .* non-?finite", NonFiniteGradient),
    Law(
        "RuntimeError",
        r"derivative for .* is not implemented|only tensors of floating point .*require gradients|(Mismatch in shape|grad_output)|graph task|backward (is )?not (implemented|supported)",
        GradientFlowError,
    ),
    # ---- tracing; the first of these lists every backend there is, `Tracer` among them ----
    Law("RuntimeError", r"Could not run '", GraphError, phase=Phase.RUN),
    Law(
        "torch.GuardOnDataDependentSymNode torch.UserError",
        r"data[- ]dependent (branching|control flow)|could not guard|guard on data-dependent|dynamic control flow",
        UnsupportedControlFlow,
    ),
    Law("torch.GuardOnDataDependentSymNode", "", UnsupportedControlFlow),
    Law(
        "torch.Unsupported",
        r"data-dependent (branching|control flow|jump)|dynamic control flow|could not guard on data-dependent",
        UnsupportedControlFlow,
    ),
    Law(
        "torch.TraceError RuntimeError",
        r"cannot be used as inputs to control flow|data-dependent control flow|proxy object cannot be iterated",
        UnsupportedControlFlow,
    ),
    Law(
        "torch.TorchDynamoException torch.UserError",
        r"(shapes?|size|dimension).*(mismatch|must match|cannot be multiplied|must be equal)|cannot be multiplied|invalid for input of size",
        ShapeMismatchError,
        phase=Phase.TRACE,
    ),
    Law(
        "torch.TorchDynamoException torch.TraceError torch.TracingCheckError torch.FrontendError torch.ExportError torch.SpecViolationError torch.ConstraintViolationError torch.BackendCompilerFailed torch.InductorError torch.DynamicOutputShapeException torch.DataDependentOutputException torch.UnsupportedFakeTensorException torch.UserError torch.OnnxExporterError",
        "",
        TracingError,
    ),
    Law(
        "RuntimeError",
        r"vmap: |Tracer cannot infer|tracer|traced (function|region|graph)|TorchScript|torch\.jit|\.item\(\) on a Tensor|UndefinedVariable|Unknown (type|builtin)|Expected a value of type .* for argument",
        TracingError,
    ),
    # ---- states and files ----
    Law(
        "RuntimeError",
        r"size mismatch for ",
        ShapeMismatchError,
        "the checkpoint is of another architecture: build the model with the sizes it was saved with",
        phase=Phase.BUILD,
    ),
    Law(
        "RuntimeError",
        r"loading state_dict|PytorchStreamReader|Invalid magic number|unexpected EOF|file in archive is not in a subdirectory",
        DataContractError,
        "the file or state is not complete, or is of another model",
        phase=Phase.BUILD,
    ),
    Law(
        "_pickle.UnpicklingError pickle.UnpicklingError EOFError",
        r"Weights only load|pickle|persistent|magic|Ran out of input|invalid load key",
        DataContractError,
        "load only what you trust: allow its classes with `torch.serialization.add_safe_globals`",
        phase=Phase.BUILD,
    ),
    Law(
        "ValueError KeyError",
        r"loaded state dict (has|contains)|parameter group",
        DataContractError,
        "the optimizer's state is of other parameters than these",
        phase=Phase.BUILD,
    ),
    # ---- values ----
    Law("torch._LinAlgError torch.LinAlgError", "", NumericError),
    Law("ValueError", r"satisfy the constraint .*invalid values", NumericError),
    Law(
        "RuntimeError",
        r"contains either `inf`, `nan`|Expected \w+ [<>]=? .* to be true|singular|positive-definite|(failed|did not) to? ?converge|converge|invalid multinomial",
        NumericError,
    ),
    Law(
        "RuntimeError IndexError",
        r"index out of range in self|Class values must be|tensors used as indices|index -?\d+ is out of (range|bounds)|index .*out of bounds for dimension|target -?\d+ is out of bounds|indices? should be|(index|indices) .*(outside|exceeds)",
        DataContractError,
        "an index or label is outside of its table: check the number of classes or tokens, and 0- against 1-based",
    ),
    Law(
        "RuntimeError",
        r"should be between 0 and 1|expected .* (scalar )?type|same dtype|scalar types?|dtype|data ?type|expected object of|found dtype|expected m1 and m2|Input type \(",
        DataContractError,
        "cast where the data enter: `x = x.to(weight.dtype)`; labels of classes are int64",
    ),
    Law(
        "ValueError",
        r"more than 1 value per channel",
        DataContractError,
        "a batch of one has no variance: `drop_last=True`, or `model.eval()`",
    ),
    # ---- shapes ----
    Law(
        "RuntimeError ValueError IndexError",
        r"cannot be multiplied|must match (the (size|existing size)|except)|invalid for input of size|expects each tensor to be equal size|to have \d+ channels|sizes of tensors must match|match target batch_size|expected size for first two dimensions|not aligned|dimension (out of range|specified)|input\.size\(-1\) must be|target size .* must be the same|too many indices for tensor|shape mismatch|embed_dim|view size is not compatible|broadcast",
        ShapeMismatchError,
    ),
    # ---- operations ----
    Law(
        "RuntimeError",
        r"does not have a deterministic implementation|not implemented for|is not (currently )?(supported|implemented)|no such operator|unsupported operation",
        GraphError,
        phase=Phase.RUN,
    ),
)

#: Where the words say nothing, the class does.
REST = (
    Law("torch.CheckpointError", "", GradientFlowError),
    Law("torch.BypassFxGraphCache", "", TracingError),
)
