"""MOD160: a switch was given the text `"False"`, which is true."""

from __future__ import annotations

from collections.abc import Iterator

from tensan.core.events.source import SwitchGivenAsText
from tensan.core.events.training import OptimizerBuilt
from tensan.core.findings import Category, Finding
from tensan.core.folding import EVERYTHING
from tensan.core.rule import Rule


class TextTakenForTrue(Rule):
    """
    ## What it does

    Finds switches that were given a text such as `"False"`, `"no"` or `"0"`: options that argparse reads with `type=bool`, and
    arguments of loaders and optimizers.

    ## Why is this bad?

    Every text but the empty one is true. Whoever runs the script with `--shuffle False` shuffles, and no error is raised.

    ## Example

    ```python
    parser.add_argument("--shuffle", type=bool, default=True)   # train.py --shuffle False
    ```

    ## Use instead

    ```python
    parser.add_argument("--shuffle", action=argparse.BooleanOptionalAction, default=True)   # train.py --no-shuffle
    ```

    ## Known problems

    Silent where nobody says no: `--shuffle True` is read as it is meant. Options that are read before torch is imported are not seen.
    """

    code = "MOD160"
    name = "text-taken-for-true"
    category = Category.CORRECTNESS
    law = 15
    explains = frozenset({"wrong-data", "wrong-mode", "no-effect"})

    def on_optimizer_built(self, event: OptimizerBuilt) -> None:
        self.armed = True  # its switches were looked at

    def on_switch_given_as_text(self, event: SwitchGivenAsText) -> Iterator[Finding]:
        self.armed = True
        parsed = event.given_to == "argparse"
        yield self.finding(
            f'`{event.name}` was given "{event.text}", which counts as true',
            at=event.site,
            event=event,
            label=f'`bool("{event.text}")` is True' if parsed else f'"{event.text}" is a text, not a bool',
            evidence={"switch": event.name, "text": event.text, "given to": event.given_to},
            proof_note="argparse was given this text and made True of it"
            if parsed
            else f"{event.given_to} was built with this text, and Python takes every text but the empty one for true",
            help="declare it with `action=argparse.BooleanOptionalAction`"
            if parsed
            else "turn the text into a bool before it is handed over",
            subjects=[EVERYTHING],
        )
