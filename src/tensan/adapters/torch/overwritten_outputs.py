"""Finds an evaluating loop that keeps nothing of what a model returns but what came of the last batch: read off its statements."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tensan.adapters.torch.statements import loops_among, statement_at
from tensan.core.events.layers import OutputsOverwritten
from tensan.core.sites import Site, here
from tensan.core.trees import body_of, location, walk

if TYPE_CHECKING:
    from tensan.adapters.torch.recorder import Recorder

Plain = ast.Assign | ast.AnnAssign


class OverwrittenOutputs:
    """Reads the loop around a forward, once it is known to go round more than once."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._known: set[tuple[str, int]] = set()
        self._in_region: set[tuple[str, int]] = set()

    def entered(self) -> None:
        """A region without gradients begins."""
        self._in_region.clear()

    def forward(self, given: Any) -> None:
        """A model is about to run in such a region.

        Args:
            given: the first array that it is given.
        """
        site = here(4)
        if not isinstance(site, Site) or site.key in self._known or not self.recorder.watch.wants(OutputsOverwritten):
            return
        source = self.recorder.loaders.source_of(given)
        again = site.key in self._in_region if source is None else (source.length or 0) > 1
        self._in_region.add(site.key)
        if again:
            self._known.add(site.key)
            self._read(site)

    def _read(self, site: Site) -> None:
        found = statement_at(site.code, site.key[1])
        body = body_of(site.code)
        if found is None or body is None:
            return
        statement, blocks = found
        loop = next(iter(loops_among(blocks)), None)
        if not isinstance(loop, ast.For) or not isinstance(statement, Plain):
            return
        kept = _kept(loop, statement)
        use = _use(body, loop, *kept) if kept is not None else None
        if use is None:
            return
        path, names = site.code.co_filename, _targets(statement)
        self.recorder.watch.emit(
            OutputsOverwritten(
                step=self.recorder.watch.steps,
                site=location(path, statement, site.code.co_qualname),
                names=tuple(names),
                loop=location(path, loop.iter),
                used=location(path, use),
            )
        )


def _kept(loop: ast.For, made: Plain) -> tuple[set[str], set[str]] | None:
    """Returns the names that hang on the model's result and those that hang on the rest of the batch, where each pass replaces them all."""
    plain = [each for each in _flat(loop.body) if isinstance(each, Plain)]
    if len(plain) < len(list(_flat(loop.body))) or not all(map(_targets, plain)):
        return None
    batch = {node.id for node in walk(loop.target) if isinstance(node, ast.Name)}
    every = {name for each in plain for name in _targets(each)} | batch
    known, results, rest = set(batch), set[str](), set(batch)
    for each in plain:
        loaded = _loaded(each)
        if (loaded & every) - known:
            return None  # carried over from the pass before
        if each is made:
            given = set[str]().union(*(_arguments(call) for call in walk(each) if isinstance(call, ast.Call)))
            if not given & rest:
                return None  # it does not change from pass to pass
            results |= set(_targets(each))
            rest |= set(_targets(each)) if (loaded & rest) - given else set()  # compared in the same breath
            rest -= given  # what the model is given is no label
        else:
            results |= set(_targets(each)) if loaded & results else set()
            rest |= set(_targets(each)) if loaded & rest else set()
        known |= set(_targets(each))
    return results, rest


def _use(body: ast.AST, loop: ast.For, results: set[str], rest: set[str]) -> ast.stmt | None:
    """Returns the first statement after the loop that compares what is left of the results with what is left of the rest."""
    end = loop.end_lineno or loop.lineno
    stored = set[str]()
    after = [node for node in walk(body) if isinstance(node, ast.stmt) and node.lineno > end and not hasattr(node, "body")]
    for statement in sorted(after, key=lambda node: node.lineno):
        loaded = _loaded(statement) - stored
        if loaded & results and loaded & rest:
            return statement
        stored |= {node.id for node in walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return None


def _flat(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for each in statements:
        if isinstance(each, ast.With):
            yield from _flat(each.body)
        elif not isinstance(each, ast.Pass):
            yield each


def _targets(statement: Plain) -> list[str]:
    """Returns the names that an assignment binds; none where it writes anywhere else too."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    parts = [part for target in targets for part in (target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target])]
    return [part.id for part in parts if isinstance(part, ast.Name)] if all(isinstance(part, ast.Name) for part in parts) else []


def _loaded(node: ast.AST) -> set[str]:
    return {each.id for each in walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}


def _arguments(call: ast.Call) -> set[str]:
    return set().union(*(_loaded(each) for each in [*call.args, *(keyword.value for keyword in call.keywords)]))
