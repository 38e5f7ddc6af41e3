"""Edits of a source text by the places of its syntax tree: what a mutation is made of."""

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """A program with one fault.

    Attributes:
        source: the changed text; it has as many lines as the text that it was made from.
        lines: lines on which a report would be right: where the fault stands, and where else its cause can fairly be named.
    """

    source: str
    lines: frozenset[int]


class Program:
    """A source text and its tree, with the questions that mutations ask of it."""

    def __init__(self, text):
        self.text = text
        self.tree = ast.parse(text)
        self.lines = text.encode().splitlines(keepends=True)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def segment(self, node):
        """Returns the text of a node."""
        return ast.get_source_segment(self.text, node) or ""

    def nodes(self, *kinds):
        """Yields the nodes of some kinds in the order of the text."""
        found = (node for node in ast.walk(self.tree) if isinstance(node, kinds))
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))

    def calls(self, *names):
        """Yields the calls whose last name is one of these: `F.relu(x)` and `relu(x)` are both of `relu`."""
        return [node for node in self.nodes(ast.Call) if name_of(node.func) in names]

    def statements(self, *names):
        """Yields the statements that are nothing but such a call."""
        return [node for node in self.nodes(ast.Expr) if isinstance(node.value, ast.Call) and name_of(node.value.func) in names]

    def replaced(self, changes, also=()):
        """Returns the program with the text of some nodes replaced.

        Args:
            changes: pairs of a node and its new text; later ones are replaced first, so that places stay true.
            also: further nodes, or numbers of lines, on which a report would be right.
        """
        lines = list(self.lines)
        named = set()
        for node, new in sorted(changes, key=lambda change: (-change[0].lineno, -change[0].col_offset)):
            first, last = node.lineno - 1, node.end_lineno - 1
            head, tail = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
            breaks = b"\n" * (last - first - new.count("\n"))  # what follows stays on its line
            lines[first : last + 1] = (head + new.encode() + tail.rstrip(b"\n") + breaks + b"\n").splitlines(keepends=True)
            named.update(range(node.lineno, node.end_lineno + 1))
        for place in also:
            named.update([place] if isinstance(place, int) else range(place.lineno, place.end_lineno + 1))
        source = b"".join(lines).decode()
        ast.parse(source)
        return Mutant(source=source, lines=frozenset(named))

    def loop_of(self, node):
        """Returns the innermost loop around a node."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, (ast.For, ast.While)):
                return node
        return None

    def function_of(self, node):
        """Returns the innermost function around a node, or the module."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return node
        return self.tree

    def statement_of(self, node):
        """Returns the statement that an expression stands in."""
        while node in self.parents and not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def users_of(self, expression):
        """Returns the statements of the same function that make what an expression is about, or use what it is assigned to."""
        statement = self.statement_of(expression)
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        names = {part.id for node in (*targets, expression) for part in ast.walk(node) if isinstance(part, ast.Name)} - {"self", "torch"}
        found = []
        for other in ast.walk(self.function_of(expression)):
            if isinstance(other, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)):
                named = {part.id for part in ast.walk(other) if isinstance(part, ast.Name)}
                found += [other] if names & named else []
        return found

    def is_without_gradients(self, node):
        """Tells whether gradients are switched off around a node, by a `with` or a decorator."""
        while node in self.parents:
            node = self.parents[node]
            around = [item.context_expr for item in node.items] if isinstance(node, ast.With) else getattr(node, "decorator_list", ())
            if any(part in self.segment(item) for item in around for part in ("no_grad", "inference_mode")):
                return True
        return False

    def siblings(self, statement):
        """Returns the statements of the block that a statement stands in, and its place among them."""
        parent = self.parents.get(statement)
        for block in ("body", "orelse", "finalbody"):
            held = getattr(parent, block, None)
            if isinstance(held, list) and statement in held:
                return held, held.index(statement)
        return [statement], 0


def name_of(function):
    """Returns the last name of what is called."""
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""


def owner_of(program, call):
    """Returns the text before the last dot of what is called."""
    return program.segment(call.func.value) if isinstance(call.func, ast.Attribute) else ""


def keyword(call, name):
    """Returns the value of a keyword argument, or None."""
    return next((held.value for held in call.keywords if held.arg == name), None)
