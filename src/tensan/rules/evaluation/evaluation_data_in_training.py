"""EVL101: samples that a model is evaluated on were also trained on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tensan.core.events.data import EpochStart, SampleOverlap
from tensan.core.events.evaluation import Evaluation, RowsKnown
from tensan.core.events.run import RunEnd
from tensan.core.events.state import StateLoaded
from tensan.core.events.things import Loader
from tensan.core.events.training import Backward
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import resolved
from tensan.rules.evaluation._folds import Folds
from tensan.rules.optimizer._shared import Epochs, LoaderKey, counted, line_of, name_given

_LEAST_SHARE = 0.05
_LEAST_SAMPLES = 5
#: Where rows are known by their values alone: some data holds a few rows twice.
_LEAST_KNOWN_SHARE = 0.1
_MOST_STARTS = 4096
_WORDS = r"val(?!u)|test|dev(?!ice)|held|hold"
#: Words that say of data that they are held out, at the beginning of a part of a name: `val_loader`, `X_test`, `myTestSet`.
HELD_OUT = re.compile(rf"(?<![A-Za-z])(?i:{_WORDS})|(?<=[a-z])(?:Val(?!u)|Test|Dev(?!ice)|Held|Hold)")
#: "eval" says what is done with the data, and that may be done with training data too.
_EVALUATED = re.compile(r"(?<![A-Za-z])(?i:eval)")
_ON_TRAIN = re.compile(r"train", re.IGNORECASE)


class EvaluationDataInTraining(Rule):
    """
    ## What it does

    Finds loaders that are only evaluated and whose samples the loader that is trained on delivers as well, and cross-validation that
    goes on with the model of the fold before.

    ## Why is this bad?

    The measured quality is that of memory, not of what was learned: on random labels such a validation rises to 100 %. Early
    stopping and the choice of hyperparameters follow a number that means nothing.

    ## Example

    ```python
    train_loader = DataLoader(TensorDataset(X, Y), shuffle=True)
    val_loader = DataLoader(TensorDataset(X[480:], Y[480:]))
    ```

    ## Use instead

    ```python
    train_loader = DataLoader(TensorDataset(X[:480], Y[:480]), shuffle=True)
    val_loader = DataLoader(TensorDataset(X[480:], Y[480:]))
    ```

    ## Known problems

    To measure quality on the training data as well is common and right. So a loader that lies wholly within the training
    data is only told where no other, clean loader is evaluated as often, or where its name says that it is held out. Data that is
    cut by hand, or that a dataset of the program's own delivers, is known again by the values of its rows, and told only where a
    name says that it is held out.
    """

    code = "EVL101"
    name = "evaluation-data-in-training"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._overlaps: dict[tuple[str, str], SampleOverlap] = {}
        self._starts: list[Loader] = []
        self._epochs = Epochs()
        self._known: dict[object, list[RowsKnown]] = {}
        self._folds = Folds()

    def on_backward(self, event: Backward) -> None:
        if self._starts:
            self._folds.backward(event, self._starts[-1].id)

    def on_evaluation(self, event: Evaluation) -> None:
        self._folds.evaluation(event)

    def on_state_loaded(self, event: StateLoaded) -> None:
        self._folds.loaded(event)

    def on_rows_known(self, event: RowsKnown) -> None:
        key = Epochs.key(event.loader) if event.loader is not None else line_of(event.site)
        self._known.setdefault(key, []).append(event)

    def on_epoch_start(self, event: EpochStart) -> None:
        self._epochs.begin(event.loader)
        if len(self._starts) < _MOST_STARTS and (not self._starts or self._starts[-1].id != event.loader.id):
            self._starts.append(event.loader)

    def on_sample_overlap(self, event: SampleOverlap) -> None:
        self._overlaps[event.train.id, event.other.id] = event

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges at the end, when it is known which loaders were trained on, and how often each was evaluated."""
        pairs = [loader for overlap in self._overlaps.values() for loader in (overlap.train, overlap.other)]
        loaders = self._epochs.merged(event.loaders or pairs)
        evaluated = {key: loader for key, loader in loaders.items() if not loader.trained and loader.epochs}
        self.armed = bool(self._overlaps) or (bool(evaluated) and any(loader.trained for loader in loaders.values()))
        trained = {key for key, loader in loaders.items() if loader.trained} | {
            Epochs.key(overlap.train) for overlap in self._overlaps.values()
        }
        told: set[object] = set()
        for overlap in self._overlaps.values():
            enough = overlap.num_shared >= max(_LEAST_SAMPLES, _LEAST_SHARE * overlap.num_other)
            if enough and self._evaluated_after(overlap, trained) and (proof := self._proof(overlap, evaluated)) is not None:
                told.add(Epochs.key(overlap.other))
                yield self._finding(overlap, proof)
        carried = self._folds.carried_over(self._overlaps, self._starts)
        if carried is not None:
            yield self._of_folds(carried)
        for key, known in self._known.items():
            self.armed = True
            rows, again = known[-1].num_rows, known[-1].num_known
            trained_on = known[0].loader is not None and key in trained
            if key not in told and not trained_on and again >= _LEAST_KNOWN_SHARE * rows and (name := _held_out_name(known[0])) is not None:
                yield self._known_rows(known[0], name, rows=rows, again=again)

    def _of_folds(self, overlap: SampleOverlap) -> Finding:
        samples = counted(overlap.num_other, "sample")
        return self.finding(
            f"a fold is evaluated with the model of the fold before, which was trained on all {samples} of it",
            at=overlap.other.made,
            event=overlap,
            label="the same model learned from these in another fold",
            evidence={"shared": overlap.num_shared, "evaluated": overlap.num_other, "trained on": overlap.num_train},
            related=[("they were trained on through this loader", overlap.train.made)],
            proof_note="the two loaders of each fold share nothing, yet the model went on from one fold to the next as it was",
            help="make model and optimizer anew for each fold, inside the loop over the folds",
            subjects=[overlap.train.id, overlap.other.id],
        )

    def _known_rows(self, event: RowsKnown, name: str, *, rows: int, again: int) -> Finding:
        loader = event.loader
        return self.finding(
            f"{name} holds samples that the model was trained on: {again} of {counted(rows, 'row')} that were compared",
            at=(loader.made if loader is not None else None) or event.site,
            event=event,
            label="holds rows that the model was trained on" if loader is not None else "evaluates rows that the model was trained on",
            evidence={"known": again, "compared": rows, "trained on": event.num_trained},
            related=[("the model is evaluated on them here", event.site if loader is not None else None)],
            proof=Proof.STATISTIC,
            proof_note=f"value by value, {again} of {counted(rows, 'row')} are among {event.num_trained} that it was trained on before",
            help="split the data first, and train on nothing that is evaluated",
            subjects=[event.module, *([loader.id] if loader is not None else [])],
        )

    def _evaluated_after(self, overlap: SampleOverlap, trained: set[LoaderKey]) -> bool:
        """Tells whether the one was evaluated after training on the other: in cross-validation each fold has its own pair."""
        known = {loader.id for loader in self._starts}
        if overlap.other.id not in known or overlap.train.id not in known:
            return True
        last = None
        for loader in self._starts:
            if loader.id == overlap.other.id and last == overlap.train.id:
                return True
            if loader.id == overlap.train.id or Epochs.key(loader) in trained:
                last = loader.id
        return False

    def _proof(self, overlap: SampleOverlap, evaluated: Mapping[LoaderKey, Loader]) -> Proof | None:
        """Weighs whether the overlap is a leak; None where the program measures its training data on purpose."""
        name = name_given(overlap.other.made, "")
        made = resolved(overlap.other.made)
        line = made.source if made is not None else ""
        shared = {Epochs.key(other.other) for other in self._overlaps.values()}
        clean = [loader for key, loader in evaluated.items() if key not in shared]
        own = evaluated.get(Epochs.key(overlap.other), overlap.other)
        if overlap.num_shared == overlap.num_train:  # all of the training data is evaluated, perhaps with more
            return Proof.STATISTIC if HELD_OUT.search(name) and not _ON_TRAIN.search(name) and not clean else None
        if overlap.num_shared == overlap.num_other:  # what is evaluated is a part of the training data
            if any(loader.epochs >= own.epochs for loader in clean) or _ON_TRAIN.search(name):
                return None
            if line and not HELD_OUT.search(line) and not _EVALUATED.search(name):
                return Proof.STATISTIC if clean else None  # a part to look at, as pictures of what was learned
            return Proof.STATISTIC if clean and not HELD_OUT.search(name) else Proof.LAW
        return Proof.LAW

    def _finding(self, overlap: SampleOverlap, proof: Proof) -> Finding:
        share = overlap.num_shared / max(overlap.num_other, 1)
        called, trained = _named(overlap.other, "the evaluation loader"), _named(overlap.train, "the training loader")
        samples = counted(overlap.num_other, "sample")
        return self.finding(
            f"{share:.0%} of what is evaluated is trained on: {trained} delivers {overlap.num_shared} of the {samples} of {called}",
            at=overlap.other.made,
            event=overlap,
            label=f"shares {overlap.num_shared} of its {samples} with the training data",
            evidence={"shared": overlap.num_shared, "evaluated": overlap.num_other, "trained on": overlap.num_train},
            related=[("they are trained on through this loader", overlap.train.made)],
            proof=proof,
            proof_note=f"{counted(overlap.num_shared, 'stored sample')} came from both loaders, and evaluation followed training",
            help=f"split the data first, and give {trained} only what {called} does not have",
            subjects=[overlap.train.id, overlap.other.id],
        )


def _named(loader: Loader, otherwise: str) -> str:
    name = name_given(loader.made, "")
    return f"`{name}`" if name else otherwise


def _held_out_name(event: RowsKnown) -> str | None:
    """Returns what says that the evaluated data is held out; None where nothing does, or where something says the opposite."""
    names = [name_given(event.loader.made, "")] if event.loader is not None else list(event.names)
    if any(_ON_TRAIN.search(name) for name in names):
        return None
    said = next((name for name in names if HELD_OUT.search(name)), None)
    if said is not None:
        return f"`{said}`"
    place = resolved(event.site)
    if place is None or event.loader is not None or _ON_TRAIN.search(place.source):
        return None
    assigned = name_given(event.site, "")
    return "what is held out" if HELD_OUT.search(assigned) or HELD_OUT.search(place.function.rpartition(".")[2]) else None
