"""`tensan`, knowing one framework (tinyframe) and two rules: what a user's command is to a test without torch."""

import sys

from tensan.core import plugins
from tensan.core.asks import Answer
from tensan.core.events.run import RunEnd, StepEnd
from tensan.core.events.training import Clip, ZeroGrad
from tensan.core.findings import Category
from tensan.core.rule import Rule
from tensan.core.sites import Location, here
from tensan.core.watch import Stopped, current


class ClipTooLate(Rule):
    """## What it does
    Finds clipping that comes too late. And more.

    ## Why is this bad?
    It does nothing.
    """

    code, name, law = "OPT991", "clip-too-late", 9

    class Options(Rule.Options, frozen=True):
        max_count: int = 5

    def on_clip(self, clip):
        self.armed = True
        yield self.finding("gradients are clipped too late", at=clip.site, event=clip, label="nothing reads these", help="clip earlier", subjects=["o"])


class Doubtful(Rule):
    """## What it does
    Finds what may be meant."""

    code, name, category = "LOS991", "doubtful", Category.SUSPICIOUS

    def on_zero_grad(self, event):
        self.armed = True
        yield self.finding("this may be meant", at=event.site, event=event, subjects=["z"])


class Fussy(Rule):
    """## What it does
    Finds what is merely ugly."""

    code, name, category = "LOS992", "fussy", Category.PEDANTIC

    def on_run_end(self, event):
        yield self.finding("ugly", at=None, event=event)


class OnTrial(Rule):
    """## What it does
    Finds what is not yet sure."""

    code, name, preview = "OPT992", "on-trial", True

    def on_run_end(self, event):
        yield self.finding("perhaps", at=None, event=event)


class TinyAdapter:
    module, tested = "tinyframe", ">=1"

    def install(self, watch):
        import tinyframe

        self.watch = watch
        tinyframe.listeners.append(self.heard)

    def heard(self, what, message, level, line):
        watch = current()
        if watch is None:
            return
        if what == "step":
            watch.steps += 1
            watch.emit(StepEnd(step=watch.steps, optimizer="o"))
            if watch.settings.steps is not None and watch.steps >= watch.settings.steps:
                raise Stopped("--steps")
            return
        kind = Clip if level == "error" else ZeroGrad
        watch.emit(kind(step=watch.steps, site=here(3) if line is None else Location(path="made.py", line=line)))

    def answer(self, ask):
        return Answer(ask=ask, why_not="tiny")

    def capture(self):
        return None

    def restore(self, state):
        pass

    def finish(self, *, status):
        self.watch.emit(RunEnd(step=self.watch.steps, status=status))


RULES = (Doubtful, Fussy, ClipTooLate, OnTrial)


def inject():
    plugins.all_rules = lambda: RULES
    plugins.adapters = lambda *, failed=None: {"tiny": TinyAdapter}


if __name__ == "__main__":
    from tensan.cli.main import main

    inject()
    main(sys.argv[1:])
