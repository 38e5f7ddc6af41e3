"""EVL131: the data of the evaluation was scaled by its own mean and spread, and not by those that training was scaled by."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import StatisticsCompared
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule


class ScaledByOwnStatistics(Rule):
    """
    ## What it does

    Finds tables on which a model is evaluated, whose columns have just the mean zero and the spread one, as those of training have.

    ## Why is this bad?

    Each part was scaled by its own statistics. The same value of a feature stands for one number in training and for another one in the
    evaluation, so the model is asked about other rows than it is given. How far off that is depends on the split, and a single new row
    cannot be scaled in this way at all.

    ## Example

    ```python
    x_train = scaler.fit_transform(x_train)
    x_test = scaler.fit_transform(x_test)
    ```

    ## Use instead

    ```python
    x_train = scaler.fit_transform(x_train)
    x_test = scaler.transform(x_test)
    ```

    ## Known problems

    Looks at tables that the data sets of two loaders keep whole, where both are of one class. Where parts of the training's table have the
    mean zero by themselves, as when each subject is scaled alone, nothing is said.
    """

    code = "EVL131"
    name = "scaled-by-own-statistics"
    category = Category.SUSPICIOUS
    law = 11
    effect = "wrong-metric"

    def on_statistics_compared(self, event: StatisticsCompared) -> Iterator[Finding]:
        self.armed = True
        if not event.is_own:
            return
        learned, held = event.num_rows
        yield self.finding(
            f"the {held} rows of the evaluation are scaled by their own mean and spread, and not by those of training",
            at=event.fitted or event.site,
            event=event,
            label="fits the scaler anew" if event.fitted is not None else "evaluated on rows of mean zero and spread one",
            evidence={"columns": event.num_columns, "rows in training": learned, "rows in evaluation": held},
            related=[("the model is evaluated on them here", event.site)] if event.fitted is not None else [],
            proof=Proof.STATISTIC,
            proof_note=(
                "the columns of both parts have the mean zero to five places; rows scaled by the statistics of others would be off by "
                f"some {1 / held**0.5:.2g}"
            ),
            help="fit the scaler on the rows of training, and use `transform` for all others",
        )
