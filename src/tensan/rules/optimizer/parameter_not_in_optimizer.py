"""OPT101: a parameter gets gradient, and no optimizer owns it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from tensan.core.asks import Change, fix
from tensan.core.events.base import Event
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Optimizer, Parameter
from tensan.core.events.training import Backward, Loss, OptimizerBuilt, OptimizerStep
from tensan.core.findings import Category, Finding, Proof
from tensan.core.rule import Rule
from tensan.rules.optimizer._shared import Evidence, line_of, listed, name_given

_LATE = "late"
_HIDDEN = "hidden"
_LEFT_OUT = "left out"
_ALONE = "alone"
_PLAIN = "plain"
_THAWED = "thawed"

#: Told as soon as they are sure; the others may still be given to an optimizer, or moved by hand, before the run ends.
_AT_ONCE = frozenset({_LATE, _HIDDEN})
#: A tensor that merely requires gradient is a weaker sign than a declared parameter.
_ENOUGH = {_LATE: 3, _HIDDEN: 3, _LEFT_OUT: 3, _ALONE: 3, _PLAIN: 5, _THAWED: 2}
_MOST_KEPT = 256


class _Orphans(msgspec.Struct):
    """Leaves of one kind, made at one line, that nobody owns."""

    kind: str
    leaves: dict[str, Parameter] = msgspec.field(default_factory=dict)
    mates: tuple[Optimizer, ...] = ()
    evidence: Evidence[Event] = msgspec.field(default_factory=lambda: Evidence(3))
    seen: int = 0
    began: int = 0
    last: Event | None = None

    def see(self, leaves: Sequence[Parameter], event: Event) -> None:
        """Takes one backward's leaves; where all of them are new, as when a layer is made in each forward, counting starts anew."""
        if not any(leaf.id in self.leaves for leaf in leaves):
            self.seen = 0
            self.evidence.interrupt()
            if len(self.leaves) > _MOST_KEPT:
                self.leaves.clear()
        self.leaves.update((leaf.id, leaf) for leaf in leaves)
        self.seen += 1
        self.last = event


class ParameterNotInOptimizer(Rule):
    """
    ## What it does

    Finds parameters that the loss depends on, that get a gradient in each backward pass, and that no optimizer was given.

    ## Why is this bad?

    The optimizer changes what it was given when it was built. A layer that was made later, or that sits in a plain list
    where `parameters()` does not find it, keeps its random initial weights for the whole run. The rest of the network
    learns around it, so the loss still falls.

    ## Example

    ```python
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    net.fc = nn.Linear(32, 4)
    ```

    ## Use instead

    ```python
    net.fc = nn.Linear(32, 4)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    ```

    ## Known problems

    Parameters that came from a checkpoint, or whose values the program moves by hand, are taken to be left alone on
    purpose. Whether a parameter that existed before the optimizer was left out by mistake cannot be proved: that is a
    warning, and it is given at the end of the run, when nobody can add it any more. A plain tensor is only told when it was
    seen to be used beside the network and not as an input to it, or is kept by a module and meets what its layers return.
    """

    code = "OPT101"
    name = "parameter-not-in-optimizer"
    category = Category.CORRECTNESS
    law = 2
    effect = "unowned"
    explains = frozenset({"no-update"})

    def __init__(self, options: Rule.Options | None = None) -> None:
        super().__init__(options)
        self._optimizers: dict[str, Optimizer] = {}
        self._stepped: dict[str, Optimizer] = {}
        self._holds_orphans: set[str] = set()
        self._settled: set[str] = set()
        self._loaded_roots: set[str] = set()
        self._groups: dict[object, _Orphans] = {}
        self._beside: set[str] = set()
        self._fed: set[str] = set()
        self._joined: set[str] = set()
        self._owners: dict[str, set[str]] = {}
        self._reached_first: dict[str, set[str]] = {}
        self._steps = 0
        self._last_step: dict[str, int] = {}

    def on_optimizer_built(self, event: OptimizerBuilt) -> None:
        self._optimizers[event.optimizer.id] = event.optimizer
        for parameter in event.parameters:
            self._owners.setdefault(parameter.id, set()).add(event.optimizer.id)
        self._settled.update(parameter.id for parameter in event.parameters)

    def on_optimizer_step(self, event: OptimizerStep) -> None:
        self._optimizers[event.optimizer.id] = self._stepped[event.optimizer.id] = event.optimizer
        self._steps += 1
        self._last_step[event.optimizer.id] = self._steps
        if event.without_gradient:
            self._holds_orphans.add(event.optimizer.id)

    def on_loss(self, event: Loss) -> None:
        """Tells plain tensors that serve as parameters from those that are fed to a network, as collocation points are."""
        plain = {leaf.id for leaf in event.leaves if not leaf.registered and not leaf.owners} - self._settled
        if not plain:
            return
        registered = {leaf.id for leaf in event.leaves if leaf.registered}
        reached: dict[int, frozenset[str]] = {}
        learned: set[int] = set()
        for operation in event.operations:
            subjects = {value.subject for value in operation.inputs if value.subject}
            origins = frozenset(subjects & plain).union(*(reached.get(value.producer, frozenset()) for value in operation.inputs))
            for value in operation.inputs:
                mates = [other for other in operation.inputs if other.subject is None and other.producer in learned]
                if value.subject in plain and any(value.subject not in reached[other.producer] for other in mates):
                    self._joined.add(value.subject)
            if subjects & registered or any(value.producer in learned for value in operation.inputs):
                learned.add(operation.index)
            reached[operation.index] = origins
            self._beside |= origins
            if subjects & registered:
                self._fed |= origins

    def on_backward(self, event: Backward) -> Iterator[Finding]:
        stepping = {owner for leaf in event.leaves for owner in leaf.owners if owner in self._stepped}
        if not stepping:
            return
        self.armed = True
        self._settled.update(leaf.id for leaf in event.leaves if leaf.owners or leaf.changed)
        self._loaded_roots.update(leaf.root for leaf in event.leaves if leaf.loaded and leaf.root is not None)
        sightings: dict[int, tuple[_Orphans, list[Parameter]]] = {}
        for leaf in event.leaves:
            self._owners.setdefault(leaf.id, set()).update(leaf.owners)
            group = self._thawed(leaf, stepping) if leaf.id in self._settled else self._group(leaf, event)
            if group is not None:
                sightings.setdefault(id(group), (group, []))[1].append(leaf)
        for group, leaves in sightings.values():
            group.see(leaves, event)
            if group.kind in _AT_ONCE:
                for seen in group.evidence.add(event):
                    yield self._finding(group, seen)
        for optimizer in stepping:
            self._reached_first.setdefault(optimizer, {leaf.id for leaf in event.leaves})
        if len(self._groups) > _MOST_KEPT:  # inputs that require gradient are new leaves in each step
            self._groups = {key: group for key, group in self._groups.items() if group.seen > 1}

    def on_run_end(self, event: RunEnd) -> Iterator[Finding]:
        for group in self._groups.values():
            if group.kind in _AT_ONCE or group.last is None or group.seen < _ENOUGH[group.kind]:
                continue
            group.leaves = {name: leaf for name, leaf in group.leaves.items() if self._still_orphan(leaf, group)}
            if group.leaves:
                yield self._finding(group, group.last)

    def _still_orphan(self, leaf: Parameter, group: _Orphans) -> bool:
        kind = group.kind
        if kind == _THAWED:
            return all(self._last_step.get(owner, 0) <= group.began for owner in self._owners[leaf.id])
        if leaf.id in self._settled or leaf.root in self._loaded_roots:
            return False
        if kind != _PLAIN:
            return True
        inside = leaf.kept and leaf.id in self._joined
        return leaf.changed is False and (inside or (leaf.id in self._beside and leaf.id not in self._fed))

    def _group(self, leaf: Parameter, event: Backward) -> _Orphans | None:
        """Returns the group that an unowned leaf belongs to; None where there is evidence that it is meant to be left alone."""
        mates = self._owners_of_mates(leaf, event)
        if not leaf.registered:
            kind = _PLAIN
        elif leaf.root is None:
            kind = _HIDDEN
        elif mates:
            kind = _LATE if all(leaf.born > optimizer.born for optimizer in mates) else _LEFT_OUT
        else:
            kind = _ALONE
        if kind == _LATE and leaf.loaded and not any(optimizer.id in self._holds_orphans for optimizer in mates):
            return None  # a pretrained part was plugged in; had it replaced one, the optimizer would hold that one still
        known_from_elsewhere = leaf.loaded and bool(leaf.module)  # of a parameter that no module holds nothing is known
        if kind not in (_LATE, _PLAIN) and (known_from_elsewhere or leaf.root in self._loaded_roots):
            return None
        if kind in (_HIDDEN, _ALONE) and not leaf.root_training:
            return None
        if kind == _LEFT_OUT:  # one choice of one optimizer, however many layers it passes over
            key: object = (kind, leaf.was_frozen, *(optimizer.id for optimizer in mates))
        else:
            key = (kind, leaf.id if kind == _PLAIN else line_of(leaf.made) or (leaf.root, leaf.module))
        group = self._groups.setdefault(key, _Orphans(kind=kind, evidence=Evidence(_ENOUGH[kind])))
        group.mates = mates
        return group

    def _thawed(self, leaf: Parameter, stepping: set[str]) -> _Orphans | None:
        """Returns the group of leaves that belong to an optimizer of the past, and that the one of today did not reach at first."""
        owners = self._owners[leaf.id]
        mates = [self._optimizers[optimizer] for optimizer in sorted(stepping - owners)]
        if not leaf.was_frozen or not leaf.registered or not owners or not mates:
            return None
        if any(leaf.id in self._reached_first.get(mate.id, {leaf.id}) for mate in mates):
            return None  # it was never held back: the layers above it alone were meant to learn
        if any(mate.born < self._optimizers[owner].born for mate in mates for owner in owners if owner in self._optimizers):
            return None
        group = self._groups.setdefault((_THAWED, *(mate.id for mate in mates)), _Orphans(kind=_THAWED, began=self._steps))
        group.mates = tuple(mates)
        return group

    def _owners_of_mates(self, leaf: Parameter, event: Backward) -> tuple[Optimizer, ...]:
        if leaf.root is None:
            return ()
        owners = {owner: None for other in event.leaves if other.root == leaf.root for owner in other.owners if owner in self._stepped}
        return tuple(self._optimizers[owner] for owner in owners)

    def _finding(self, group: _Orphans, event: Event) -> Finding:
        leaves = tuple(leaf for leaf in group.leaves.values() if group.kind == _THAWED or leaf.id not in self._settled)
        optimizers = group.mates or tuple(self._stepped.values())
        optimizer = optimizers[-1]
        first = leaves[0]
        gets = "gets" if len(leaves) == 1 else "get"
        names = listed(leaf.name for leaf in leaves)
        called = name_given(optimizer.made, "optimizer")
        passed_over = group.kind in (_LEFT_OUT, _THAWED)  # they were there to be given: it is the optimizer's line that is wrong
        thawed = passed_over and all(leaf.was_frozen for leaf in leaves)
        return self.finding(
            f"{names} {gets} gradient but no optimizer owns {_them(leaves)}: {_why(group.kind, leaves, optimizer, thawed)}",
            at=next((place for place in (optimizer.made if passed_over else None, first.made) if place is not None), event.site),
            event=event,
            label="leaves out what was frozen when it ran" if thawed else f"leaves out {_them(leaves)}" if passed_over else "never trained",
            evidence={
                "parameters": [str(leaf) for leaf in leaves[:4]],
                "how many": len(leaves),
                "why": group.kind,
                "changed": first.changed,
            },
            related=[
                (f"`{first.name}` was made here", first.made) if passed_over else (f"{optimizer.kind} was built here", optimizer.made)
            ],
            proof=Proof.LAW if group.kind in (*_AT_ONCE, _PLAIN) else Proof.STATISTIC,
            proof_note=(
                f"the loss depends on {_them(leaves)} in {group.seen} backward passes, "
                f"while {optimizer.kind} steps other parameters and nothing changes {_them(leaves)}"
            ),
            help=_help(group.kind, leaves, called),
            subjects=[leaf.id for leaf in leaves] + list(self._stepped),
            fix=fix(Change.ADD, optimizer.id, parameters=tuple(leaf.id for leaf in leaves)),
        )


def _them(leaves: Sequence[Parameter]) -> str:
    return "it" if len(leaves) == 1 else "them"


def _why(kind: str, leaves: Sequence[Parameter], optimizer: Optimizer, thawed: bool) -> str:
    first = leaves[0]
    if thawed:
        return f"frozen when {optimizer.kind} was built, and not added to it since"
    if kind == _LATE:
        return f"made after {optimizer.kind} was built"
    if kind == _HIDDEN:
        return f"no module's `parameters()` yields {f'those of {first.module}' if first.module else _them(leaves)}"
    if kind == _PLAIN:
        return "a tensor that is not registered anywhere"
    return f"{optimizer.kind} was not given {_them(leaves)}"


def _help(kind: str, leaves: Sequence[Parameter], called: str) -> str:
    first = leaves[0]
    if kind == _LATE:
        return f"build `{called}` after this line, or add the new parameters with `{called}.add_param_group({{'params': ...}})`"
    if kind == _HIDDEN and first.module:
        return "keep layers in `nn.ModuleList` or `nn.ModuleDict` instead of a plain list or dict, and build the optimizer from the module"
    if kind == _HIDDEN:
        return "assign the parameter itself to the module: change dtype or device first and wrap in `nn.Parameter` last"
    if kind == _PLAIN:
        return f"give `{first.name}` to `{called}`, or make it a constant without `requires_grad`"
    return f"give {_them(leaves)} to `{called}` as well, or freeze {_them(leaves)} with `requires_grad_(False)` to say that this is meant"
