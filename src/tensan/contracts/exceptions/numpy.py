"""What NumPy's exceptions mean, where they end a training program."""

from tensan.contracts.exceptions.law import Law
from tensan.core.faults import DataContractError, NumericError, OutOfMemory, ShapeMismatchError

LAWS = (
    Law("numpy.LinAlgError", r"singular|converge|positive definite", NumericError),
    Law("numpy.LinAlgError numpy.AxisError", "", ShapeMismatchError),
    Law("numpy._ArrayMemoryError MemoryError", "", OutOfMemory),
    Law("numpy.UFuncTypeError", "", DataContractError),
    Law(
        "ValueError",
        r"operands could not be broadcast|shapes \(.*\) and \(.*\) not aligned|cannot reshape array|inhomogeneous shape|input array dimensions .* must match|has a mismatch in its core dimension|could not broadcast input array",
        ShapeMismatchError,
    ),
    Law("IndexError", r"is out of bounds for axis", DataContractError),
)
