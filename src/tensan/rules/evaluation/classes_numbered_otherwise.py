"""EVL130: the data that a model is evaluated on numbers its classes otherwise than the data that it learned from."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.data import ClassesNamed, LabelsSeen
from tensan.core.events.evaluation import OutputsMeasured
from tensan.core.events.run import RunEnd
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.core.sites import Place
from tensan.rules.hits import hits_in
from tensan.rules.optimizer._shared import listed

#: Classes that must have another number: one may be a merger of two.
_LEAST_MOVED = 2


class ClassesNumberedOtherwise(Rule):
    """
    ## What it does

    Finds classifiers that are evaluated on data whose classes have other numbers than in training, though they have the same names: each
    data set has numbered the names that it found for itself.

    ## Why is this bad?

    A unit of the last layer stands for the number that its class had in training. Where a class is missing in the other data, or the
    names are found in another order, all that follow are one off, and right answers are counted as wrong ones.

    ## Example

    ```python
    class Birds(Dataset):
        def __init__(self, rows):
            self.names = [name for _, name in rows]
            self.number = {name: k for k, name in enumerate(sorted(set(self.names)))}

    train, test = Birds(rows[:900]), Birds(rows[900:])      # no owl among the last hundred
    ```

    ## Use instead

    ```python
    number = {name: k for k, name in enumerate(sorted({name for _, name in rows[:900]}))}
    train, test = Birds(rows[:900], number), Birds(rows[900:], number)
    ```

    ## Known problems

    Looks at data sets that keep a map or a list of the names of their classes, and the name or the path of each item, and whose batches
    are made in the process that trains. Labels must be the numbers of that map, and outputs be compared with them.
    """

    code = "EVL130"
    name = "classes-numbered-otherwise"
    category = Category.CORRECTNESS
    law = 11
    effect = "wrong-metric"

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._named: list[ClassesNamed] = []
        self._heads: set[str] = set()
        self._compared: dict[str, Place] = {}

    def on_classes_named(self, event: ClassesNamed) -> None:
        self._named.append(event)

    def on_labels_seen(self, event: LabelsSeen) -> None:
        if event.num_outputs:
            self._heads.add(event.loader.id)

    def on_outputs_measured(self, event: OutputsMeasured) -> None:
        hits = next(hits_in(event.operations), None)
        if hits is not None and event.loader:
            self._compared.setdefault(event.loader, hits.site)

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        learned = [named for named in self._named if named.loader.trained and named.loader.id in self._heads]
        known = {named.loader.id for named in learned}
        if any(loader.trained and loader.id not in known for loader in event.loaders):
            return  # another numbering may be learned there
        for held in self._named:
            if held.loader.trained or held.loader.id not in self._compared:
                continue
            moved = [(named, _moved(named, held)) for named in learned if named.numbers.keys() & held.numbers.keys()]
            self.armed = self.armed or bool(moved)
            if moved and all(len(names) >= _LEAST_MOVED for _, names in moved):
                yield self._finding(held, *moved[0])

    def _finding(self, held: ClassesNamed, learned: ClassesNamed, moved: list[str]) -> Finding:
        first = moved[0]
        return self.finding(
            f"classes have other numbers where the model is evaluated: {listed(moved)}",
            at=held.loader.made or held.site,
            event=held,
            label=f"`{first}` is {held.numbers[first]} here",
            evidence={"moved": {name: [learned.numbers[name], held.numbers[name]] for name in moved[:8]}},
            related=[
                (f"`{first}` is {learned.numbers[first]} in what it learned from", learned.loader.made),
                ("outputs are compared with the labels here", self._compared[held.loader.id]),
            ],
            proof=Proof.LAW,
            proof_note=f"labels were seen to be delivered for {len(learned.numbers)} names in training and {len(held.numbers)} in "
            f"evaluation, and {len(moved)} of the names that both have got two numbers",
            help="number the classes once, from the data of training, and hand the map to the data set of the evaluation",
            subjects=[held.loader.id, learned.loader.id],
        )


def _moved(learned: ClassesNamed, held: ClassesNamed) -> list[str]:
    """Returns the names that have another number in the second."""
    return [name for name, number in held.numbers.items() if learned.numbers.get(name, number) != number]
