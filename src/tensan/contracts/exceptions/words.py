"""Words that mean the same wherever they are said; asked only of exceptions that a framework's code raised."""

from tensan.contracts.exceptions.law import Law
from tensan.core.faults import (
    DataContractError,
    DeviceError,
    DistributedError,
    GradientFlowError,
    GraphError,
    NumericError,
    OutOfMemory,
    ShapeMismatchError,
    TracingError,
)

_ANY = "Exception"
_SIZES = r"\b(shapes?|sizes?|dimensions?|dims?|ranks?|axes|axis|channels?|lengths?|features?|ndim|\d-?D)\b"
_DISAGREE = (
    r"\b(must|should|match\w*|mismatch\w*|incompatible|compatible|inconsistent|equal|unequal|same|expect\w*|requires?|invalid|"
    r"differ\w*|divisible|wrong|cannot|not aligned|broadcast\w*|too (large|small|many|few)|bigger|smaller|greater|less)\b"
)

LAWS = (
    Law(_ANY, r"\bout of memory\b|can(not|'t) allocate|failed to allocate|unable to allocate", OutOfMemory),
    Law(_ANY, r"\bprocess[ _]group|\brendezvous|\bNCCL\b|\bgloo\b|\bworld[ _]size|\bpeers?\b|\bbarrier\b", DistributedError),
    Law(_ANY, r"\bgrad(ient)?s?\b|\bgraph (leaf|leaves)\b|\bautograd\b|\bbackward\b|\bdifferentia\w+", GradientFlowError),
    Law(_ANY, r"\btrac(ed?|er|ers|ing)\b|\bjit\b|\bsymbolic\b|\bexport(ed|ing)?\b|\bcompil(ed|ing|ation)\b|\bTorchScript\b", TracingError),
    Law(_ANY, r"\bdevices?\b|\bCUDA\b|\bGPUs?\b|\bTPUs?\b", DeviceError),
    Law(
        _ANY,
        r"\bNaNs?\b|\bnans?\b|\binf(inite|inity)?\b|\bnon-?finite\b|\bsingular\b|\bpositive[- ](semi)?definite\b|\bconverge\w*|\bdi(vision|vide) by zero\b|\boverflow\w*",
        NumericError,
    ),
    Law(
        _ANY,
        r"\bdtypes?\b|\b(data|scalar|floating point|integer|integral|boolean) ?types?\b|\bexpected (an? )?\w*(int|float|bool|long|double)\w*\b",
        DataContractError,
    ),
    Law(_ANY, r"\b(axis|dim|dimension)\b.*\bout of (range|bounds)\b", ShapeMismatchError),
    Law(
        _ANY,
        r"\bout of (range|bounds)\b|\b(index|indices|labels?|targets?) .*\b(between|less than|range|negative)\b|\bnot in \[",
        DataContractError,
    ),
    Law(_ANY, rf"{_SIZES}.*{_DISAGREE}|{_DISAGREE}.*{_SIZES}|\bdoes not match\b", ShapeMismatchError),
    Law(_ANY, r"\bnot (yet )?(implemented|supported|registered|available)\b|\bunsupported\b|\bunimplemented\b", GraphError),
    Law(
        _ANY,
        r"\bcast\b|\bconvert\b|\bnon-?negative\b|\bobject of type\b|\bmust (be|contain|have|not)\b|\bfound (object|type|<class)",
        DataContractError,
    ),
)
