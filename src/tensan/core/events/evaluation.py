"""What is measured on data that is not learned from."""

from __future__ import annotations

from tensan.core.events.base import Event
from tensan.core.events.things import Loader, Mode, Operation
from tensan.core.sites import Place


class Evaluation(Event, frozen=True, kw_only=True):
    """A model ran with gradients off, and its output was compared with something that it did not make.

    Attributes:
        modes: its mode-dependent modules.
        has_trained: whether an optimizer has stepped on it before.
        mode_chosen: whether the program called `train()` since the last backward, so that the mode is meant.
        repeated: whether the same input went through more than once, one by one or stacked (Monte Carlo dropout does that).
        from_loader: id of the loader that delivered the input, if one did.
        from_training: whether the input is one that was trained on; None where that is not known.
        moved_statistics: whether batch statistics were moved.
    """

    module: str
    modes: tuple[Mode, ...] = ()
    has_trained: bool = False
    mode_chosen: bool = False
    repeated: bool = False
    compared: bool = False
    from_loader: str | None = None
    from_training: bool | None = False


class MetricSummed(Event, frozen=True, kw_only=True):
    """A pass over a loader begins, over whose batches the program adds something up that it divides by what belongs to one pass.

    Attributes:
        loader: id of the loader; name: what is added up, where the site says; is_reset: whether it begins anew for the next pass.
        divided: where it is divided; by: by what, as it is written, empty where that is an object which is asked for its metric there.
        anew: where it begins anew with each batch, so that nothing is summed up; None where it does not.
    """

    loader: str
    name: str
    is_reset: bool = True
    divided: Place = None
    anew: Place = None
    by: str = ""


class EvaluationDraws(Event, frozen=True, kw_only=True):
    """A model that is in eval mode, with all its modules, ran with gradients off, and was looked at for values that it drops.

    Attributes:
        kind: its class.
        draws: the operations that dropped values at random; empty where none did.
        repeated: whether the same input went through again at the same step, so that the draws are meant.
    """

    module: str
    kind: str = ""
    draws: tuple[Operation, ...] = ()
    repeated: bool = False


class CopyEvaluated(Event, frozen=True, kw_only=True):
    """A model that nobody trains runs with gradients off, in eval mode, and one of the same build is being trained.

    Attributes:
        kind: its class; `live` is that of the model that is trained.
        layers: how many layers of it normalise with running statistics; `left` how many of those have weights that were moved and
            statistics that were not, and `names` the first of them.
        batches, own_batches: how many batches the statistics of the trained model are of, and its own.
        averaged: where the program moves the weights of a copy, as far as that can be told.
    """

    module: str
    kind: str = ""
    live: str = ""
    layers: int = 0
    left: int = 0
    names: tuple[str, ...] = ()
    batches: int = 0
    own_batches: int = 0
    averaged: Place = None


class HeldRowsLearned(Event, frozen=True, kw_only=True):
    """A loss was given the targets of all rows, while the program takes some of these rows apart to be evaluated.

    Attributes:
        targets, mask: what the program calls the targets and the rows that it holds back.
        taken: where it reads the name of those rows first.
        num_held, num_rows: how many they are, and how many the loss learned from.
    """

    targets: str
    mask: str
    taken: Place
    num_held: int
    num_rows: int


class FeaturesSelected(Event, frozen=True, kw_only=True):
    """A feature selector was fitted with targets, and a model was evaluated on rows that went through it; told at the end, before `RunEnd`.

    Attributes:
        kind: its class, such as `SelectKBest`; the site is where it was fitted.
        num_fitted: rows that it was fitted with; num_outside: rows that it was given later and that are none of them.
        num_evaluated: rows of evaluations, all of which it was fitted with, and on none of which the model was seen to train.
        expected: how many of them would have been seen to be trained on if they were rows of training.
        evaluated: where the model is evaluated on them.
    """

    kind: str
    num_fitted: int
    num_outside: int = 0
    num_evaluated: int = 0
    expected: float = 0.0
    evaluated: Place = None


class OutputsMeasured(Event, frozen=True, kw_only=True):
    """An evaluation is over: what was done with the model's outputs between its forwards.

    Attributes:
        module: id of the model.
        operations: in the order they ran; what the model returned has the subject `output`, what a loader delivered `batch`.
        loader: id of the loader that delivered last, if one did.
        low, high: least and greatest of all that was looked at of what it returned; None where nothing was.
    """

    module: str
    operations: tuple[Operation, ...] = ()
    loader: str = ""
    low: float | None = None
    high: float | None = None


class RowsKnown(Event, frozen=True, kw_only=True):
    """A model is evaluated on rows that it was trained on, value by value.

    Attributes:
        module: id of the model.
        loader: that delivered them, if one did; names: what the program calls the input where it cut it by hand.
        num_known, num_rows: rows that were known, and all that were compared at this line so far.
        num_trained: rows of training that were looked at before.
    """

    module: str
    loader: Loader | None = None
    names: tuple[str, ...] = ()
    num_known: int = 0
    num_rows: int = 0
    num_trained: int = 0
