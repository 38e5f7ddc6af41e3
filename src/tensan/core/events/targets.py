"""What losses compare with: targets, classes, tokens, noise."""

from __future__ import annotations

from tensan.core.events.base import Event
from tensan.core.events.things import Shape
from tensan.core.sites import Place


class TargetsEnterModel(Event, frozen=True, kw_only=True):
    """What a loader delivers second, in the place of targets, went into a model that is being trained, as a second domain does."""

    loader: str


class ClassesWeighted(Event, frozen=True, kw_only=True):
    """A classification loss weighs its classes, and this is how often each of them was among its targets.

    Attributes:
        loss: what it is called.
        weights, counts: of each class; of a loss of two classes the weight of the negative one is 1.
        name, made: what the program calls the weights and where it computes them, as far as that can be told.
    """

    loss: str
    weights: tuple[float, ...]
    counts: tuple[int, ...]
    name: str = ""
    made: Place = None


class BlanksCounted(Event, frozen=True, kw_only=True):
    """A loss that aligns sequences with targets was given targets, and this is how often its blank is among them.

    Targets are counted within the lengths that the program states; rows of nothing but blanks are not.

    Attributes:
        blank: the index of the blank.
        rows: samples whose targets hold a symbol; in `inside` of them one stands behind a blank, `at_end` of them end in a blank.
        num_blanks, num_targets: how many blanks those rows hold, and how many targets there are in all.
        width: of targets that are padded, where every length is that of the whole row; otherwise 0.
        made, measured: where the program makes the loss and the lengths, as far as that can be told.
    """

    blank: int
    rows: int
    inside: int = 0
    at_end: int = 0
    num_blanks: int = 0
    num_targets: int = 0
    width: int = 0
    made: Place = None
    measured: Place = None


class NoisePredicted(Event, frozen=True, kw_only=True):
    """A loss compares with an array that has the shape of the model's input; where that is a draw of noise, was the input mixed with it?

    Attributes:
        name: what the program calls the noise; drawn: where it is drawn; None where the target is no draw.
        related: how closely the input follows the noise, from 0 to 1; mixed: how closely it follows data of the program, which is in it.
        num_values: how many values were compared.
        exact: whether both were followed through recorded operations: then they are 0 or 1, and `mixed` tells of another draw, at `other`.
    """

    name: str = ""
    drawn: Place = None
    related: float = 0.0
    mixed: float = 0.0
    num_values: int = 0
    exact: bool = False
    other: Place = None


class TargetsSought(Event, frozen=True, kw_only=True):
    """The one target of each sample was looked for among the values of the input that the model was given.

    Attributes:
        loader: what delivers the samples; empty where no loader of torch does.
        named, name: where the program makes the targets, or reads an item, as far as that can be told, and what it calls them.
        shape: of the input; its first axis is that of the samples.
        columns: where, in a sample laid out in one row, the target stands for every sample of the batch.
        num_values: different targets in the batch.
        ordered: whether the values of a sample are read one after the other, by a recurrence or a convolution along them.
    """

    loader: str
    named: Place = None
    name: str = ""
    shape: Shape
    columns: tuple[int, ...] = ()
    num_values: int
    ordered: bool = False


class TokenTargets(Event, frozen=True, kw_only=True):
    """A cross-entropy of tokens was compared with the token ids that went into the model.

    Attributes:
        length, num_targets: positions of a sequence that went in, and of one that the loss compares, but for an end that it passes over.
        at_shift: for a shift of 0, 1 and 2: the share of supervised targets that are the token so many places further on in the input.
        supervised: share of the targets that the loss does not pass over.
        causal: whether the model hides later positions from earlier ones.
        distinct: how many tokens differ from their neighbour.
        others_shifted: whether another loss, or another input, of the same step has targets one place on.
        end_token: id of what the program calls its end token; None where it names none or other tokens are passed over too.
        end_name: what it calls it.
        ends, ends_supervised: times that it follows another token in the input, and times that the loss asks for it.
        masked: where the program overwrites labels by what is passed over.
        batch: number of sequences.
        doubled_start: the token that each of them begins with twice, the second time as a target, and that stands nowhere else.
    """

    length: int
    num_targets: int
    at_shift: tuple[float, ...] = ()
    supervised: float = 1.0
    causal: bool = False
    distinct: float = 1.0
    others_shifted: bool = False
    end_token: int | None = None
    end_name: str = ""
    ends: int = 0
    ends_supervised: int = 0
    masked: Place = None
    batch: int = 0
    doubled_start: int | None = None


class NextStatesSeen(Event, frozen=True, kw_only=True):
    """A model learns the values of states from discounted values of those that came next.

    Attributes:
        num_rows: states of the batch; num_same: of how many the next one is the same.
        is_edited: whether a class of the program gives out, in `step`, what that writes into; name: what it is called there.
        edited: where it writes. Where transitions hold the array, and one statement alone keeps them, the place is that of this one.
        num_kept: how many of the transitions that the program keeps hold the array of the environment itself, or one array for both states.
        used: where the next states are given to a model.
    """

    num_rows: int
    num_same: int
    is_edited: bool = False
    name: str = ""
    edited: Place = None
    num_kept: int = 0
    used: Place = None


class MixtureWeighed(Event, frozen=True, kw_only=True):
    """A model was given samples that were mixed in pairs, and its loss weighs the targets of both; the site is where it does.

    Attributes:
        num_rows: rows of the batch that were taken apart.
        share: what the first of them holds of the sample in its own place; weight: what the loss multiplies the target of that sample by.
        num_right: rows of which that weight is nearer to their share than the weight of the other target.
        num_exchanged: rows whose share is the weight of the other target.
        is_pasted: whether a part of one sample was put in the place of a part of the other, instead of adding both.
    """

    num_rows: int
    num_right: int
    num_exchanged: int
    share: float = 0.0
    weight: float = 0.0
    is_pasted: bool = False
