"""What JAX's exceptions mean. Its own classes speak of tracing; shapes and gradients are TypeError and ValueError."""

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

LAWS = (
    Law("jax.TracerBoolConversionError", "", UnsupportedControlFlow),
    Law(
        "jax.TracerIntegerConversionError",
        r"__index__",
        UnsupportedControlFlow,
        "a traced value counts a loop or is an index: use `lax.fori_loop`, `jnp.take`, or make it a static argument",
    ),
    Law(
        "jax.UnexpectedTracerError",
        "",
        TracingError,
        "a traced value was kept outside of its function (global, attribute, list): return it instead",
    ),
    Law(
        "jax.NonConcreteBooleanIndexError",
        "",
        TracingError,
        "the size of `x[mask]` depends on values: use `jnp.where(mask, x, 0)`, or `size=` of `jnp.nonzero`",
    ),
    Law("jax.ConcretizationTypeError jax.TracerArrayConversionError", "", TracingError),
    Law(
        "IndexError TypeError",
        r"static integers|array slice indices must have static|concrete values of integer type|Tracer\(|traced array|Tracer with",
        TracingError,
        "a size or slice depends on a traced value: make it a static argument, or use `lax.dynamic_slice`",
    ),
    Law(
        "ValueError TypeError",
        r"non-hashable static arguments",
        TracingError,
        "static arguments must hash and compare: give a tuple for a list",
    ),
    Law("jax.KeyReuseError", "", DataContractError, "a random key is used once: `key, sub = jax.random.split(key)`"),
    Law("jax.JaxRuntimeError jax.XlaRuntimeError", r"RESOURCE_EXHAUSTED|out of memory", OutOfMemory),
    Law(
        "jax.JaxRuntimeError jax.XlaRuntimeError", r"DEADLINE_EXCEEDED|UNAVAILABLE|ABORTED|coordination service|heartbeat", DistributedError
    ),
    Law("jax.JaxRuntimeError jax.XlaRuntimeError", r"UNIMPLEMENTED", GraphError),
    Law("jax.JaxRuntimeError jax.XlaRuntimeError", r"CUDA|device|INTERNAL", DeviceError),
    Law("RuntimeError", r"Unknown backend|Unable to initialize backend|no platforms that are instances", DeviceError),
    Law("ValueError", r"incompatible devices", DeviceError, "put all arguments on one device or sharding with `jax.device_put`"),
    Law("FloatingPointError", "", NumericError),
    Law(
        "TypeError ValueError",
        r"Gradient only defined for scalar|grad requires real- or complex|reverse-mode differentiation|(jacrev|jacfwd|vjp|jvp|grad) requires|differentiat|cotangent|tangent",
        GradientFlowError,
    ),
    Law(
        "TypeError ValueError",
        r"incompatible shapes|incompatible shapes for|contracting dimensions|arrays with shapes that differ|cannot reshape|so the shapes do not match|inconsistent sizes|incompatible .*shape|requires (arrays?|operand|input).*(shape|rank|dimension)|must have (the )?(same|equal) (shape|rank|number of dimensions|ndim)|shapes? must be (equal|the same|broadcast)",
        ShapeMismatchError,
    ),
    Law(
        "TypeError",
        r"must have (equal|identical|the same) (types|output)|same type structure|pytree",
        TracingError,
        "both ways through a `cond` or `scan` must give the same structure, shapes and types",
        phase=Phase.TRACE,
    ),
    Law(
        "TypeError ValueError",
        r"PRNG key|not a valid JAX (type|array)|error interpreting argument|(same|equal) dtypes?|only accepts? (dtypes|arguments)",
        DataContractError,
    ),
    Law("RuntimeError", r"Array has been deleted", DataContractError, "the array was donated to a jitted call: use that call's result"),
)

REST = (
    Law("jax.JAXTypeError jax.JAXIndexError", "", TracingError),
    Law("jax.JaxRuntimeError jax.XlaRuntimeError", "", DeviceError),
)
