"""Exceptions that mean something: one taxonomy over the frameworks, and what says which class of it an exception is.

`classify(error)` and `explain(error)` look at an exception and leave it as it is. `with translate():` raises one that is of our class and
of the raw class at once.
"""

from tensan.contracts.exceptions.classify import Verdict, classify
from tensan.contracts.exceptions.explain import explain
from tensan.contracts.exceptions.translate import translate
from tensan.core.errors import TensanError
from tensan.core.faults import (
    ContractViolation,
    DataContractError,
    DeviceAssert,
    DeviceError,
    DisconnectedGradient,
    DistributedError,
    Fault,
    GradientFlowError,
    GraphError,
    LaunchFailure,
    Layer,
    NonFiniteGradient,
    NumericError,
    OutOfMemory,
    Phase,
    ServingError,
    ShapeMismatchError,
    TracingError,
    UnsupportedControlFlow,
    ZeroGradient,
)

__all__ = [
    "ContractViolation",
    "DataContractError",
    "DeviceAssert",
    "DeviceError",
    "DisconnectedGradient",
    "DistributedError",
    "Fault",
    "GradientFlowError",
    "GraphError",
    "LaunchFailure",
    "Layer",
    "NonFiniteGradient",
    "NumericError",
    "OutOfMemory",
    "Phase",
    "ServingError",
    "ShapeMismatchError",
    "TensanError",
    "TracingError",
    "UnsupportedControlFlow",
    "Verdict",
    "ZeroGradient",
    "classify",
    "explain",
    "translate",
]
