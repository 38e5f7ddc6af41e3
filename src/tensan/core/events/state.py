"""States that are saved, loaded, kept and compared."""

from __future__ import annotations

from tensan.core.events.base import Event
from tensan.core.events.things import Optimizer, Parameter
from tensan.core.sites import Place


class StateLoaded(Event, frozen=True, kw_only=True):
    """A state dict was loaded into a module.

    Attributes:
        aliased: how many of its tensors are the very storage they were loaded into.
        taken: where the state dict was taken; taken_step: how many optimizer steps had been done by then.
        num_tensors, missing, unexpected: how many keys there were and how many found no partner.
        matched: how many keys found one; num_own: how many there are in the module; root: its outermost module.
        prefix: what stands before the names on one side only, where more would match without it; would_match: how many then.
        prefixed: which side bears it, `state` or `module`.
        untouched: whether all of it is the module's own memory, and nothing has written to that since the state was taken.
        own: whether the state was taken from this very module; bound: where the name was given that the module is called by here.
        renamed: whether the program has two names for what is one here.
        strict: whether the load fails unless all names match.
        copied_step: where the load brings nothing because the state is an old copy of another network's, which has changed since: how
            many optimizer steps had been done when that was taken; `copied` is where.
    """

    module: str
    num_tensors: int = 0
    aliased: int = 0
    taken: Place = None
    taken_step: int | None = None
    missing: int = 0
    unexpected: int = 0
    matched: int = 0
    num_own: int = 0
    root: str = ""
    prefix: str = ""
    would_match: int = 0
    prefixed: str = ""
    untouched: bool = False
    own: bool = False
    bound: Place = None
    renamed: bool = False
    strict: bool = False
    copied_step: int | None = None
    copied: Place = None


class StateSaved(Event, frozen=True, kw_only=True):
    """Tensors were written to a file; the same fields as `StateLoaded`, told of the live model they alias."""

    num_tensors: int = 0
    aliased: int = 0
    taken: Place = None
    taken_step: int | None = None


class StateLeavesOut(Event, frozen=True, kw_only=True):
    """A state of a model was written to a file; told for each value that it leaves out, and once more without any.

    Attributes:
        module: id of the model; kind: class of the part that keeps the value.
        name: path of the attribute: a tensor that training has changed, and that the forward computes with.
        made: where the program gives it its first value.
    """

    module: str
    name: str = ""
    kind: str = ""
    made: Place = None


class StateKept(Event, frozen=True, kw_only=True):
    """A model's state was taken and given a name.

    Attributes:
        name: as the program writes it, such as `best_state` or `self.best`.
        is_read: whether any statement of the program reads it for more than to see whether it is None.
    """

    name: str
    is_read: bool = True


class RecordCompared(Event, frozen=True, kw_only=True):
    """What a program has measured stands beside the record that it keeps a state of the model by, after both were compared.

    Attributes:
        measured, record: what the program calls both, such as `val_loss` and `best_loss`.
        direction: `min` where a smaller value sets a new record, `max` where a larger one does.
        value, best: both as they are now.
    """

    measured: str
    record: str
    direction: str
    value: float
    best: float


class StateOverwritten(Event, frozen=True, kw_only=True):
    """All weights that were loaded into a module were initialised anew before it was used.

    Attributes:
        module: its id; loaded: where the state was loaded.
        num_tensors: how many of its weights were looked at.
        parameters: some of them; `written` tells who overwrote each.
    """

    module: str
    loaded: Place = None
    num_tensors: int = 0
    parameters: tuple[Parameter, ...] = ()


class StateForgotten(Event, frozen=True, kw_only=True):
    """An optimizer makes its first step on weights that were read from a file, and a state that is in the file too was never restored.

    Attributes:
        kind: what was not restored, `optimizer` or `scheduler`.
        read: where the file was read; loaded: where the weights were loaded from it.
        continues: where the program takes from the file how far training had come; None where it does not.
        same_plan: whether this program wrote the file, from an optimizer of the same kind with the same settings.
        optimizer: the optimizer that steps; scheduler: the schedule that begins anew.
        entries: how many parameters the forgotten state tells of, or how many steps the schedule had done.
    """

    kind: str
    optimizer: Optimizer
    read: Place = None
    loaded: Place = None
    continues: Place = None
    same_plan: bool = False
    scheduler: str = ""
    entries: int = 0


class PatienceCounted(Event, frozen=True, kw_only=True):
    """A counter of measurements that set no record stands beside the record, after both were brought up to date.

    Attributes:
        counted_at: what adds one to it; counter, record, limit: what the program calls them.
        is_set_back: whether any statement but its beginning sets the counter.
        holder: equal for what the same call or object holds.
        count, best: counter and record as they are now.
    """

    counted_at: Place
    counter: str
    record: str
    limit: str
    is_set_back: bool
    holder: int
    count: int
    best: float
