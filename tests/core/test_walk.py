"""A tree's nodes come in the order of the standard library's walk, and are gathered once."""

import ast
import inspect

from tensan.core import trees


def test_the_order_is_that_of_the_standard_library():
    tree = ast.parse(inspect.getsource(trees))
    for node in ast.walk(tree):
        assert list(trees.walk(node)) == list(ast.walk(node))


def test_nodes_are_gathered_once():
    tree = ast.parse("for x in y:\n    z(x)")
    assert trees.walk(tree) is trees.walk(tree)
    assert ast.unparse(tree) == "for x in y:\n    z(x)"
