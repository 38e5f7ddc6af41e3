"""EVL126: the rows that are evaluated are among those that the loss learns from, or that the features were chosen by."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.evaluation import FeaturesSelected, HeldRowsLearned
from tensan.core.events.run import RunEnd
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place

#: Rows of evaluations that a selector must have been fitted with, and how many of them one would have seen among those of training.
_LEAST_EVALUATED = 8
_LEAST_EXPECTED = 8.0


class HeldRowsLearnedFrom(Rule):
    """
    ## What it does

    Finds training on all rows at once, of a graph's nodes or of a table, whose loss is given the targets of every row, while the program
    evaluates on some of these rows, which it calls those of a test or a validation. Likewise a feature selector of scikit-learn that is
    fitted with the targets of all rows, those included that the model is evaluated on and never trained on.

    ## Why is this bad?

    The labels that the evaluation compares with were learned from. The accuracy is that of training, and says nothing of other rows. To
    choose among many features by these labels is enough: of thousands of columns of noise, the thirty that go best with them by chance
    make a good test.

    ## Example

    ```python
    loss = F.cross_entropy(model(data.x, data.edges), data.y)
    ...
    accuracy = (prediction[data.test_mask] == data.y[data.test_mask]).float().mean()
    ```

    ```python
    x = SelectKBest(k=30).fit_transform(x, y)
    x_train, x_test, y_train, y_test = train_test_split(x, y)
    ```

    ## Use instead

    ```python
    scores = model(data.x, data.edges)
    loss = F.cross_entropy(scores[data.train_mask], data.y[data.train_mask])
    ```

    ```python
    x_train, x_test, y_train, y_test = train_test_split(x, y)
    selector = SelectKBest(k=30).fit(x_train, y_train)
    x_train, x_test = selector.transform(x_train), selector.transform(x_test)
    ```

    ## Known problems

    Rows that are held back are known by the name of their mask or index, such as `test_mask`. Targets that the loss passes over by their
    value are not learned from, and nothing is said; nor where another loss was given a part of some targets before. Rows that went through
    a selector are known by their values, also where their columns were scaled since. Where any selector of the program is given rows that
    it was not fitted with, its evaluation is taken for the one that counts, and nothing is said.
    """

    code = "EVL126"
    name = "held-rows-learned-from"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-data"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._selected: list[FeaturesSelected] = []

    def on_held_rows_learned(self, event: HeldRowsLearned) -> Iterator[Finding]:
        self.armed = True
        held, rows = event.num_held, event.num_rows
        if held:
            yield self.finding(
                f"the loss learns from all {rows} rows, {held} of which are held back by `{event.mask}` to evaluate with",
                at=event.site,
                event=event,
                label=f"is given `{event.targets}` whole",
                evidence={"held": held, "rows": rows},
                related=[("they are held back by this name", event.taken)],
                proof=Proof.LAW,
                proof_note=f"the targets of the loss are `{event.targets}` itself, and `{event.mask}` takes {held} of its rows",
                help="give the loss the rows of training alone: `scores[train_mask], y[train_mask]`",
            )

    def on_features_selected(self, event: FeaturesSelected) -> None:
        self.armed = True
        self._selected.append(event)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        """Judges selectors at the end, when it is known whether one of them was given rows that it had not been fitted with."""
        if any(fit.num_outside for fit in self._selected):
            return
        by_place: dict[Place, list[FeaturesSelected]] = {}
        for fit in self._selected:
            by_place.setdefault(fit.site, []).append(fit)
        for fits in by_place.values():
            rows, expected = sum(fit.num_evaluated for fit in fits), sum(fit.expected for fit in fits)
            if rows >= _LEAST_EVALUATED and expected >= _LEAST_EXPECTED:
                yield self._of_selector(fits[0], rows)

    def _of_selector(self, fit: FeaturesSelected, rows: int) -> Finding:
        return self.finding(
            f"the features are chosen by the targets of all {fit.num_fitted} rows, those included that the model is evaluated on",
            at=fit.site,
            event=fit,
            label=f"`{fit.kind}` is fitted with rows that are held back from training",
            evidence={"fitted": fit.num_fitted, "evaluated": rows},
            related=[("the model is evaluated on such rows here", fit.evaluated)],
            proof=Proof.STATISTIC,
            proof_note=f"{rows} rows that the model was evaluated on, and not trained on, are among those it was fitted with",
            help="split first, and fit the selector with the rows of training alone, anew for each fold",
        )
