"""What layers compute, and what becomes of it."""

from __future__ import annotations

from tensan.core.events.base import Event
from tensan.core.events.recorded import Layer
from tensan.core.events.things import Loader, Parameter
from tensan.core.sites import Place


class BatchStatistics(Event, frozen=True, kw_only=True):
    """A batch-normalising module worked in train mode on the batch it was given.

    Attributes:
        batch_size: length of the batch axis; num_values: values that each channel's statistics were taken over.
        momentum: weight of the new batch in the running statistics; None where none are kept, or all batches count alike.
        untouched: whether the running statistics still are what they were made as; looked at where momentum is 0.
    """

    module: str
    kind: str
    name: str
    made: Place = None
    batch_size: int = 0
    num_values: int = 0
    momentum: float | None = None
    untouched: bool = False


class PaddedEndRead(Event, frozen=True, kw_only=True):
    """A prediction is made from nothing but what a recurrent layer has at the end of its sequences.

    Attributes:
        what: what is read, as a sentence has it.
        length: steps that the layer runs over; `lengths` are those of each sequence without its padding, where it is padded at its end.
    """

    layer: Layer
    what: str = ""
    length: int = 0
    lengths: tuple[int, ...] = ()


class HookWaited(Event, frozen=True, kw_only=True):
    """A hook on a module fired for the first time, or never did though the module took part in training; the site is where it was put on.

    Attributes:
        fired: whether it did.
        hook: name of its function; module: path of the module; kind: its class, or `Tensor` for a hook on one.
        num_steps: how many backwards were seen to reach parameters of the module, while it was never called; for a tensor all since.
    """

    fired: bool = False
    hook: str = ""
    module: str = ""
    kind: str = ""
    num_steps: int = 0


class ModuleRepeated(Event, frozen=True, kw_only=True):
    """One module with parameters was given to a container under several names.

    Attributes:
        container: class of the container; names: what the module is called there.
        parameters: those of the module.
        multiplied: whether the program wrote a list with one module in it, times a number.
    """

    container: str
    module: str
    names: tuple[str, ...]
    parameters: tuple[Parameter, ...] = ()
    made: Place = None
    multiplied: bool = False


class OutputUnread(Event, frozen=True, kw_only=True):
    """A layer ran with gradients in a recorded step, and what it gave was free again before the backward, and read by nobody.

    The site is its call.

    Attributes:
        layer: its path in the model; kind: its class.
        names: what the program calls the result, which no statement reads from there on.
        parameters: its trainable ones, none of which lies behind the loss.
        num_operations: how many operations it took.
    """

    layer: str
    kind: str = ""
    names: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    num_operations: int = 0


class RingWritten(Event, frozen=True, kw_only=True):
    """A recorded step wrote to a part of a buffer whose place the program takes from a position that it keeps, and never moves.

    Attributes:
        buffer: name of the buffer; pointer: of the position.
        start, count, length: where along its axis it wrote, how many entries, and how many there are.
        advanced: where the program works out the next position and drops it; None where it does not even do that.
    """

    buffer: str
    pointer: str
    start: int = 0
    count: int = 0
    length: int = 0
    advanced: Place = None


class PaddingRow(Event, frozen=True, kw_only=True):
    """An embedding looked up its padding row; where the program has overwritten it at `site`, a gradient arrived there.

    Attributes:
        overwritten: whether it holds anything but zeros.
        module: id of the embedding; `name` is its dotted path and `made` where it was created.
        padding: its `padding_idx`; num_positions: how many positions of the batch looked it up.
    """

    overwritten: bool = True
    module: str
    name: str = ""
    made: Place = None
    padding: int = 0
    num_positions: int = 0


class OutputsOverwritten(Event, frozen=True, kw_only=True):
    """A loop over batches, with gradients off, keeps nothing of what the model returns but what came of the last batch.

    Attributes:
        names: what is left after the loop; loop: the loop; used: where it is used.
    """

    names: tuple[str, ...]
    loop: Place = None
    used: Place = None


class StateCarried(Event, frozen=True, kw_only=True):
    """A recurrent layer that is trained begins with some state.

    Attributes:
        layer: its id; kind: its class, such as `GRU`.
        is_carried: whether the state is, value by value, the one that the layer ended the batch before with.
        loader: that delivered both batches, if one did.
    """

    layer: str
    kind: str
    is_carried: bool
    loader: Loader | None = None


class StateFedBack(Event, frozen=True, kw_only=True):
    """A recurrent layer was called step after step on the way to one loss, and was given back the state that it had left.

    Attributes:
        layer: its id; kind: its class, such as `GRUCell`.
        num_handed_on: how often it was given what its call before had made; num_cut: how often no gradient can come back by it.
        cut_at: what cuts the last of these off, where that was seen.
    """

    layer: str
    kind: str
    num_handed_on: int
    num_cut: int
    cut_at: Place = None
