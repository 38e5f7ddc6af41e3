"""Hand-made events, and a real watch that hears them: what all tests of rules share."""

from tensan.core.events.run import RunEnd, StepEnd
from tensan.core.events.things import Loader, Mode, Optimizer, Parameter, Scheduler
from tensan.core.events.training import Backward, OptimizerBuilt, OptimizerStep
from tensan.core.settings import Settings
from tensan.core.sites import Location
from tensan.core.watch import Watch

OPTIMIZER = "optimizer:1"
ROOT = "module:1"


def at(line, path="train.py"):
    return Location(path=path, line=line)


def parameter(number, **fields):
    known = {
        "id": f"parameter:{number}",
        "name": f"layer.{number}",
        "shape": (4, 4),
        "dtype": "float32",
        "made": at(100 + number),
        "module": "Linear(in_features=4, out_features=4)",
        "root": ROOT,
        "born": number,
        "owners": (OPTIMIZER,),
    }
    return Parameter(**(known | fields))


def optimizer(**fields):
    return Optimizer(**({"id": OPTIMIZER, "kind": "SGD", "made": at(10), "born": 50, "rates": (0.1,), "num_parameters": 2} | fields))


def mode(**fields):
    known = {
        "module": "module:2",
        "root": ROOT,
        "kind": "Dropout",
        "name": "drop",
        "training": True,
        "root_training": True,
        "trained_before": True,
    }
    return Mode(**(known | fields))


def scheduler(**fields):
    return Scheduler(
        **({"id": "scheduler:1", "kind": "CosineAnnealingLR", "optimizer": OPTIMIZER, "made": at(11), "stepped": at(35)} | fields)
    )


def loader(number=1, **fields):
    return Loader(**({"id": f"loader:{number}", "kind": "DataLoader", "made": at(60 + number), "length": 16} | fields))


class Story:
    """A run told event by event; `codes` and `findings` are what a real watch makes of it."""

    def __init__(self, *rules):
        self.rules = [rule() for rule in rules]
        self.watch = Watch(settings=Settings(), rules=self.rules)
        self.step = 0

    def tell(self, *events):
        for event in events:
            self.watch.emit(event)
        return self

    def built(self, maker=None, parameters=()):
        return self.tell(OptimizerBuilt(step=self.step, optimizer=maker or optimizer(), parameters=tuple(parameters)))

    def backward(self, *leaves, line=30, **fields):
        return self.tell(Backward(step=self.step, site=at(line), leaves=leaves, **fields))

    def stepped(self, *parameters, by=None, line=31, **fields):
        """An optimizer steps from beginning to end."""
        by = by or optimizer()
        known = {"with_gradient": parameters, "fresh": True, "backward": at(30)}
        self.tell(OptimizerStep(step=self.step, site=at(line), optimizer=by, **(known | fields)))
        self.step += 1
        return self.tell(StepEnd(step=self.step, optimizer=by.id))

    def ended(self, status="completed", **fields):
        return self.tell(RunEnd(step=self.step, status=status, **fields))

    @property
    def report(self):
        notes = self.watch.snapshot().run.notes
        assert not notes, notes
        return self.watch.snapshot()

    @property
    def findings(self):
        return self.report.findings

    @property
    def told(self):
        """Code, level and line of each finding."""
        return [(told.code, told.level, told.line) for told in self.findings]

    @property
    def armed(self):
        return self.report.run.rules_armed
