"""What loaders, datasets and batches hold and hand over."""

from __future__ import annotations

from collections.abc import Mapping

from tensan.core.events.base import Event
from tensan.core.events.things import Loader, Shape
from tensan.core.sites import Place


class EpochStart(Event, frozen=True, kw_only=True):
    """A loader began to be iterated.

    Attributes:
        steps: how many steps each optimizer has done so far, by id.
        places: the lines of the program that led there, innermost first.
    """

    loader: Loader
    steps: Mapping[str, int] = {}
    places: tuple[Place, ...] = ()


class ItemEdited(Event, frozen=True, kw_only=True):
    """Fetching an item changed the array that the dataset keeps.

    Attributes:
        rows: how many of the compared items were changed by this fetch.
        fetches, edits: fetches that were looked at so far, and those that changed something; passes: which epoch it is.
    """

    loader: str
    rows: int
    fetches: int = 0
    edits: int = 0
    passes: int = 0


class SourceSeen(Event, frozen=True, kw_only=True):
    """A batch held rows of one part of a dataset that is joined of several; told of a few batches of each.

    Attributes:
        loader: id of the loader; source: number of the part, counted from zero, of `num_sources`.
        name: of the file or folder that the part was read from, where it keeps one.
        num_rows: its rows in the batch; num_broken: those of them that hold NaN or Inf.
        minimum, maximum: of their finite values; whole: whether all are whole numbers.
        classes: the labels of those rows, where a batch has integer labels.
    """

    loader: str
    source: int
    num_sources: int
    name: str = ""
    num_rows: int = 0
    num_broken: int = 0
    minimum: float = 0.0
    maximum: float = 0.0
    whole: bool = False
    classes: tuple[int, ...] = ()


class SampleOverlap(Event, frozen=True, kw_only=True):
    """Two loaders deliver the very same stored samples.

    Attributes:
        train: the one whose batches are learned from; other: the one that is only evaluated.
        num_shared, num_other, num_train: samples in common, and samples in each.
    """

    train: Loader
    other: Loader
    num_shared: int
    num_other: int
    num_train: int


class SplitsShared(Event, frozen=True, kw_only=True):
    """A split that is learned from and one that is only evaluated are parts of the very same dataset object.

    The place is that of a statement which sets an attribute of that dataset through one of the two, before both were read; None where no
    statement does.

    Attributes:
        train, other: the loader that is learned from, and the other one.
        target, attribute, value: what the statement sets, the last name of that, and what to, as they are written.
        names_other: whether it names the split that is only evaluated.
        overwritten: a statement before it that set the same attribute to something else, through the other split.
    """

    train: Loader
    other: Loader
    target: str = ""
    attribute: str = ""
    value: str = ""
    names_other: bool = False
    overwritten: Place = None


class StreamRepeated(Event, frozen=True, kw_only=True):
    """Several workers of a loader delivered the very same batch of a stream, and went on to other batches.

    Attributes:
        num_workers: how many.
        made: where the loader was made.
    """

    loader: str
    num_workers: int
    made: Place = None


class LabelOrder(Event, frozen=True, kw_only=True):
    """The class labels that a loss was given were found in the data as it is stored.

    Attributes:
        loader: the loader that delivers them; None where the program cuts its batches itself.
        in_order: whether batches come in the order of the stored data.
        num_items, num_classes: how many labels there are, and different ones.
        num_runs: stretches of equal labels, in stored order.
        num_batches, num_pure: batches that the stored order makes, and those of one class.
    """

    loader: Loader | None = None
    in_order: bool = False
    num_items: int = 0
    num_classes: int = 0
    num_runs: int = 0
    num_batches: int = 0
    num_pure: int = 0


class PairingTested(Event, frozen=True, kw_only=True):
    """Stored inputs and targets were tested for telling anything about each other, where the program has permuted something.

    Strengths are in standard deviations of what random pairs show.

    Attributes:
        name: what the program calls the permutation that was undone, or the array that it shuffled.
        side: which side it is undone on: `inputs` or `targets`; `one` where the permutation itself cannot be had.
        before: the strength as the pairs are; after: once the permutation is undone, None where that could not be tried.
    """

    loader: str
    name: str
    side: str = ""
    before: float = 0.0
    after: float | None = None
    num_rows: int = 0


class PairedBothWays(Event, frozen=True, kw_only=True):
    """Loaders deliver the very same inputs with different targets, and in one of them inputs tell of the targets.

    Attributes:
        loaders: ids of those that deliver the same inputs.
    """

    loaders: tuple[str, ...] = ()


class ColumnsDropped(Event, frozen=True, kw_only=True):
    """A trainer takes columns that the model does not name out of the batches of a loader that begins.

    Attributes:
        columns: their names; `model` is the class of the model.
        read, reader: one of them that the program asks for in a batch all the same, and where.
    """

    columns: tuple[str, ...]
    model: str = ""
    read: str = ""
    reader: Place = None


class IdsCompared(Event, frozen=True, kw_only=True):
    """A model that looks ids up is evaluated for the first time on the data of a loader or of a data set that keeps its ids.

    Attributes:
        columns: the ids that both keep, as many as an embedding knows, by their name in the data set.
        again: those of them that were numbered anew for the evaluation; numbers: how many there are of each, in training and evaluation.
        kind: the class of the data set; name, made: what the program calls the one of evaluation, and where it makes that.
    """

    columns: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    numbers: tuple[tuple[int, int], ...] = ()
    kind: str = ""
    name: str = ""
    made: Place = None


class StatisticsCompared(Event, frozen=True, kw_only=True):
    """A model is evaluated for the first time on a table that a data set keeps, as that of its training keeps another.

    Attributes:
        name: what both call the table; num_columns: that it has; num_rows: of training and of evaluation.
        is_own: whether the columns of both have just the mean zero and the spread one.
        fitted: where the program fits anew what it has fitted before, where there is one such place.
    """

    name: str = ""
    num_columns: int = 0
    num_rows: tuple[int, int] = (0, 0)
    is_own: bool = False
    fitted: Place = None


class SamplesWeighted(Event, frozen=True, kw_only=True):
    """A loader that draws its samples by weights begins its first epoch.

    Attributes:
        num_weights, num_draws: how many weights there are, and how many samples an epoch draws.
        num_classes: of each array of class labels that the data set keeps, how many classes it has.
        made: where the program makes what draws, as far as that can be told.
    """

    loader: Loader
    num_weights: int
    num_draws: int
    num_classes: tuple[int, ...] = ()
    made: Place = None


class InputValues(Event, frozen=True, kw_only=True):
    """The values of one of the first batches that a model was given, with gradients and without.

    Attributes:
        module: id of the model.
        means, deviations: of some of the features, over the samples of the batch.
        scaled_twice: whether all are 8-bit values that were divided by 255 twice; scaled_at: the last such division in the source.
        are_pixels: whether all are whole numbers from 0 to 255, as 8-bit values that were never divided.
        missing: what of the program's own would bring these values to where those of training lie, such as `(x - mean) / std`.
    """

    module: str
    training: bool
    shape: Shape
    dtype: str
    minimum: float
    maximum: float
    means: tuple[float, ...] = ()
    deviations: tuple[float, ...] = ()
    scaled_twice: bool = False
    scaled_at: Place = None
    are_pixels: bool = False
    missing: str = ""


class RowsMeasured(Event, frozen=True, kw_only=True):
    """The rows of a table that a model is given to learn from were measured.

    Attributes:
        module: id of the model.
        num_rows: how many rows.
        unit: whether each of them has length one.
        scales: root mean square of each column, where that is so.
        zeros: share of the values that are exactly zero.
        made: the statement that divides rows by their lengths, as far as that can be told.
    """

    module: str
    num_rows: int
    unit: bool = False
    scales: tuple[float, ...] = ()
    zeros: float = 0.0
    made: Place = None


class LaidOutAnew(Event, frozen=True, kw_only=True):
    """The data that a model is given lies in the memory of an array with other axes.

    Attributes:
        given: the shape of that array, for as many samples; made: the shape that the program gave it.
    """

    given: Shape
    made: Shape


class LabelsSeen(Event, frozen=True, kw_only=True):
    """The class labels that a loader has delivered, as far as they were looked at; told at the end, before `RunEnd`.

    Attributes:
        classes: the different labels, sorted; num_labels, num_batches: how many were looked at.
        num_outputs: classes that the loss distinguishes, a unit of a layer for each; 0 for a loader that no loss was seen to learn from.
        classes_elsewhere: classes among the targets of losses that came from no loader.
    """

    loader: Loader
    classes: tuple[int, ...] = ()
    num_labels: int = 0
    num_batches: int = 0
    num_outputs: int = 0
    classes_elsewhere: tuple[int, ...] = ()


class InputsAlike(Event, frozen=True, kw_only=True):
    """A data set that the program has written gave one and the same input for every index; told at the end, before `RunEnd`.

    Attributes:
        num_batches, num_samples: how many were looked at.
        constant: whether all values of the input are one; others_vary: whether what comes with it, such as labels, differs by sample.
    """

    loader: Loader
    num_batches: int
    num_samples: int
    shape: Shape = ()
    dtype: str = ""
    constant: bool = False
    others_vary: bool = False


class IteratorSpent(Event, frozen=True, kw_only=True):
    """A loop went, in each pass of a loop around it, over one and the same iterator, which gives nothing any more after the first pass.

    Attributes:
        name: what the program calls the iterator; bound: where it was made, before the outer loop.
        passes: how often the outer loop goes round, where that is known; repeated: where that is written.
    """

    name: str
    passes: int | None = None
    repeated: Place = None
    bound: Place = None


class StoredOutputsMet(Event, frozen=True, kw_only=True):
    """What a model gave while gradients were off meets, value by value, a prediction in a loss.

    Attributes:
        module: id of the model that gave it; name: what the program calls it; made, compared: where it was made and where they meet.
        num_rows: rows of the batch; num_known: those of which it is known what the model gave for them; num_right: those that meet it.
        num_different: how many of the outputs differ from each other.
        is_shifted: whether the rows that meet are all at one distance in the order in which they were given to the model.
        is_of_this_batch: whether it was made after the loader delivered the batch; is_shuffled: whether that loader draws its order.
        is_beside_right: whether other outputs of the same shape meet, in the same loss, the rows that they were made of.
    """

    module: str
    num_rows: int
    num_known: int
    num_right: int
    num_different: int = 0
    name: str = ""
    made: Place = None
    compared: Place = None
    is_shifted: bool = False
    is_of_this_batch: bool = False
    is_beside_right: bool = False
    is_shuffled: bool = False


class StreamCut(Event, frozen=True, kw_only=True):
    """The tokens that a model is given, and those that it is to tell, lie in one and the same array.

    Attributes:
        shape: of the tokens; ahead: how far behind each token in memory the one lies that is to be told.
        is_stream: whether the array was one row of tokens that has been cut so that its neighbours are of different samples.
        near, far, spread: how much more a token of it tells of its neighbour, and of the one that is to be told, than of any other.
        used: where they are compared.
    """

    shape: Shape
    ahead: int
    is_stream: bool = False
    near: float = 0.0
    far: float = 0.0
    spread: float = 0.0
    used: Place = None


class ImagesTurned(Event, frozen=True, kw_only=True):
    """Images of a batch were compared with what they were made of, and the masks that belong to them with theirs.

    Attributes:
        site: the statement that turns something, where there is one.
        num_pairs: images with a mask that were compared so far.
        num_turned: of those, the images that were mirrored or turned.
        num_along: of those, the masks that were turned in the same way, and look another one than before.
        num_left: of those, the masks that were not.
        way: how one of the images lay.
    """

    num_pairs: int
    num_turned: int
    num_along: int
    num_left: int
    way: str = ""


class BoxesTurned(Event, frozen=True, kw_only=True):
    """Images of a batch were compared with what they were made of, and the boxes in them, which a loss learns from, with theirs.

    Attributes:
        site: the statement that turns something, where there is one.
        num_samples: images with boxes that were compared so far.
        num_along: of those, the ones that were mirrored, and their boxes with them.
        num_left: of those, the ones that were mirrored, while their boxes are where they were.
        way: how one of the images lay.
    """

    num_samples: int
    num_along: int
    num_left: int
    way: str = ""


class ClassesNamed(Event, frozen=True, kw_only=True):
    """A loader's data set keeps the names of classes, and labels were seen to be their numbers; told at the end, before `RunEnd`.

    Attributes:
        numbers: for each name that was met, the label that was delivered for it.
    """

    loader: Loader
    numbers: Mapping[str, int] = {}
