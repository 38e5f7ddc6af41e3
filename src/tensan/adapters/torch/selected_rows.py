"""Follows rows through feature selectors of scikit-learn that were fitted with targets, to the models that are evaluated on them."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from tensan.adapters.torch.live import live
from tensan.adapters.torch.patching import patch
from tensan.adapters.torch.supervision import is_plain
from tensan.core.events.evaluation import FeaturesSelected
from tensan.core.sites import Place, Site, here

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

#: Selectors that read targets; others, such as one that drops what does not vary, see none.
SUPERVISED = (
    "SelectKBest",
    "SelectPercentile",
    "SelectFpr",
    "SelectFdr",
    "SelectFwe",
    "GenericUnivariateSelect",
    "SelectFromModel",
    "RFE",
    "RFECV",
    "SequentialFeatureSelector",
)
#: Fits, results and evaluations that are looked at.
MOST_FITS = 32
MOST_PARTS = 64
MOST_LOOKS = 64
#: Rows of a table, columns by which a row is known, rows by which a result that was scaled since is known again, and rows of an input.
MOST_ROWS = 20_000
MOST_COLUMNS = 64
MOST_COMPARED = 256
MOST_EVALUATED = 512
LEAST_COMPARED = 8
#: How far two columns may be apart for rounding, once both have mean zero and deviation one.
ROUNDING = 1e-3


class Fit:
    """A selector that was fitted with targets: where, with which rows, and what came of it.

    Attributes:
        num_outside: rows that it was asked for later, and that it had not been fitted with.
    """

    def __init__(self, selector: Any, rows: frozenset[int], site: Place) -> None:
        self.reference = weakref.ref(selector)
        self.kind, self.rows, self.site = type(selector).__name__, rows, site
        self.num_outside = 0
        self.evaluations: dict[object, _Evaluation] = {}


class _Part:
    """What a selector made of some rows: the first of them, by which they are known again."""

    def __init__(self, fit: Fit, rows: Any) -> None:
        self.fit, self.rows = fit, rows


class _Evaluation:
    """What a model was evaluated on at one line, of one origin."""

    def __init__(self, site: Place) -> None:
        self.site = site
        self.rows: set[int] = set()
        self.num_known = self.num_trained = 0


class SelectedRows:
    """Fits of selectors, what they made, and which of that models were evaluated on."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._fits: list[Fit] = []
        self._parts: list[_Part] = []
        self._values: dict[int, Fit] = {}
        self._looks = 0

    def fitted(self, selector: Any, data: Any, targets: Any) -> None:
        """A selector was fitted."""
        rows = _array(data)
        if targets is None or rows is None or len(self._fits) >= MOST_FITS or not self.recorder.watch.wants(FeaturesSelected):
            return
        hashes = frozenset(_hashes(rows))
        if len(hashes) >= 0.95 * len(rows):  # rows that repeat by nature say nothing of where they come from
            self._fits.append(Fit(selector, hashes, here(3)))

    def transformed(self, selector: Any, data: Any, result: Any) -> None:
        """A selector has taken its features out of some rows."""
        fit = next((fit for fit in reversed(self._fits) if fit.reference() is selector), None)
        rows, made = _array(data), _array(result)
        if fit is None or rows is None or made is None:
            return
        fit.num_outside += sum(row not in fit.rows for row in _hashes(rows))
        if len(self._parts) < MOST_PARTS and len(self._values) < MOST_ROWS and made.shape[1] > 1:
            self._parts.append(_Part(fit, made[:MOST_COMPARED].astype("float64")))
            self._values.update(dict.fromkeys(_hashes(made), fit))

    def evaluated(self, module: Any, inputs: Any) -> None:
        """A model is about to run with gradients off."""
        if not self._parts or self._looks >= MOST_LOOKS:
            return
        tensor = next((item for item in inputs if isinstance(item, torch.Tensor)), None)
        if tensor is None or not is_plain(tensor) or tensor.dim() != 2 or not tensor.is_floating_point() or len(tensor) < LEAST_COMPARED:
            return
        memory = self.recorder.row_memory.met_again(module, tensor)
        if memory is None:
            return
        self._looks += 1
        given = tensor.detach().double()[:MOST_EVALUATED].numpy()
        found = self._by_value(given) or self._by_column(given)
        if found is None:
            return
        fit, origin = found
        site, source = here(3), self.recorder.loaders.source_of(tensor)
        key = site.key if isinstance(site, Site) else None, origin, source.id if source is not None else ""
        evaluation = fit.evaluations.setdefault(key, _Evaluation(site))
        evaluation.rows.update(_hashes(given))
        evaluation.num_known += memory.num_known
        evaluation.num_trained = max(evaluation.num_trained, memory.num_trained)

    def _by_value(self, given: Any) -> tuple[Fit, int] | None:
        """Returns whose selection some rows are, value by value."""
        hashes = _hashes(given)
        known = [fit for row in hashes if (fit := self._values.get(row)) is not None]
        return (known[0], -1) if len(known) == len(hashes) and all(fit is known[0] for fit in known) else None

    def _by_column(self, given: Any) -> tuple[Fit, int] | None:
        """Returns of whose selection some rows are the first, each column moved and stretched as scaling does."""
        for number, part in reversed(list(enumerate(self._parts))):
            count = min(len(given), len(part.rows))
            if given.shape[1] == part.rows.shape[1] and count >= LEAST_COMPARED and _are_alike(given[:count], part.rows[:count]):
                return part.fit, number
        return None

    def finish(self) -> None:
        """Tells, at the end, what came of each fit."""
        for fit in self._fits:
            evaluations = [each for each in fit.evaluations.values() if not each.num_known]
            if not evaluations and not fit.num_outside:
                continue
            self.recorder.watch.emit(
                FeaturesSelected(
                    step=self.recorder.watch.steps,
                    site=fit.site,
                    kind=fit.kind,
                    num_fitted=len(fit.rows),
                    num_outside=fit.num_outside,
                    num_evaluated=sum(len(each.rows) for each in evaluations),
                    expected=sum(len(each.rows) * each.num_trained for each in evaluations) / len(fit.rows),
                    evaluated=evaluations[0].site if evaluations else None,
                )
            )


def _array(data: Any) -> Any:
    """Returns a table of numbers, None where it is something else."""
    numpy = sys.modules["numpy"]
    if type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "to_numpy"):
        data = data.to_numpy()
    plain = type(data) is numpy.ndarray and data.ndim == 2 and data.dtype.kind in "fiub"
    return data if plain and 0 < len(data) <= MOST_ROWS and data.shape[1] else None


def _hashes(rows: Any) -> list[int]:
    """Returns a hash for each row of a table, by some of its columns where there are many."""
    numpy = sys.modules["numpy"]
    columns = numpy.linspace(0, rows.shape[1] - 1, min(rows.shape[1], MOST_COLUMNS)).astype("int64")
    with numpy.errstate(all="ignore"):  # a number that is too large for the type of models is none of ours
        chosen = numpy.ascontiguousarray(rows[:, columns].astype("float32"))
    return [hash(row.tobytes()) for row in chosen]


def _are_alike(given: Any, selected: Any) -> bool:
    """Tells whether two tables of one shape have the same columns, but for where those begin and how far they reach."""
    numpy = sys.modules["numpy"]
    with numpy.errstate(all="ignore"):
        deviations = given.std(0), selected.std(0)
        varying = (deviations[0] > 0) & (deviations[1] > 0)
        if varying.sum() < 2 or (deviations[0] > 0).sum() != varying.sum():
            return False
        left, right = ((table[:, varying] - table[:, varying].mean(0)) / table[:, varying].std(0) for table in (given, selected))
        return bool((numpy.abs(left - right) < ROUNDING).all())


_fitting: list[Any] = []


def install(module: Any) -> None:
    """Hears of fits and transforms of selectors: nothing else tells which rows they have read, and whose targets.

    Args:
        module: `sklearn.feature_selection`, which has just been imported.
    """
    try:
        for kind in (getattr(module, name, None) for name in SUPERVISED):
            for defining in getattr(kind, "__mro__", ()):
                if defining.__module__.startswith("sklearn.feature_selection") and "fit" in vars(defining):
                    patch(defining, "fit", _fitting_of)
        patch(module.SelectorMixin, "transform", _transforming)
    except Exception as error:  # noqa: BLE001 - the import of the program must not fail by us
        recorder = live.recorder
        if recorder is not None:
            recorder.watch.switch_off("part SelectedRows of the adapter torch", error)


def _fitting_of(original: Callable[..., Any]) -> Callable[..., Any]:
    def fit(self: Any, *args: Any, **kwargs: Any) -> Any:
        _fitting.append(self)  # what a selector fits inside of its own fit is its own affair
        try:
            result = original(self, *args, **kwargs)
        finally:
            _fitting.pop()
        recorder = live.recorder
        if recorder is not None and not _fitting:
            recorder.hear(recorder.apart, recorder.selected_rows.fitted, self, _given(args, kwargs, 0, "X"), _given(args, kwargs, 1, "y"))
        return result

    return fit


def _transforming(original: Callable[..., Any]) -> Callable[..., Any]:
    def transform(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, *args, **kwargs)
        recorder = live.recorder
        if recorder is not None and not _fitting:
            recorder.hear(recorder.apart, recorder.selected_rows.transformed, self, _given(args, kwargs, 0, "X"), result)
        return result

    return transform


def _given(args: tuple[Any, ...], kwargs: dict[str, Any], place: int, name: str) -> Any:
    return args[place] if len(args) > place else kwargs.get(name)
