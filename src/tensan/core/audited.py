"""What an audit of a model found, in plain words and numbers: what an adapter fills in and what is printed."""

from __future__ import annotations

import msgspec


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a layer, or one operation between layers.

    Attributes:
        path: of the layer in the model; of an operation that of the module whose code it stands in.
        kind: class of the layer, name of the operation.
        inputs: shape of each tensor that it was given.
        outputs: shape of each tensor that it returned, under the name of its entry; a single tensor has the name "".
        parameters: how many numbers the layer learns.
        sources: for each input the number of the call that made it; of an input of the model -1 for the first, -2 for the second and so
            on; None where neither did, as for a weight.
    """

    path: str
    kind: str
    inputs: tuple[str, ...]
    outputs: dict[str, str]
    parameters: int = 0
    sources: tuple[int | None, ...] = ()


class Audited(msgspec.Struct, kw_only=True):
    """A model on one example.

    Attributes:
        calls: in the order of data flow.
        axes: what each symbol stands for, such as `B: x axis 0 (4 in the example)`.
        findings: what is fixed, never used, or returned in a container; one sentence each.
        note: why sizes were told from runs of copies with other sizes; empty where torch.export told them.
        parameters: how many numbers the model learns; shared ones count once.
        given: shape of each input of the model, by its name.
        returned: what each tensor that the model returns was made by, as in the sources of a call.
    """

    calls: list[Call]
    axes: dict[str, str]
    findings: list[str]
    note: str = ""
    parameters: int = 0
    given: dict[str, str] = {}
    returned: tuple[int | None, ...] = ()
