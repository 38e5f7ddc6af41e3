"""Trees of source files, and places in them, which count characters where trees count bytes."""

import ast

import pytest

from tensan.core import trees


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "source.py"
    file.write_text("größe = f(über(1), 2)\nif größe:\n    print('é', größe)\n", encoding="utf-8")
    return str(file)


def calls(path):
    tree = trees.tree_of(path)
    assert tree is not None
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def test_one_tree_for_a_file(path):
    assert trees.tree_of(path) is trees.tree_of(path)


def test_no_tree(tmp_path):
    assert trees.tree_of(str(tmp_path / "nowhere.py")) is None
    (tmp_path / "broken.py").write_text("def f(:\n")
    assert trees.tree_of(str(tmp_path / "broken.py")) is None


def test_location_counts_characters(path):
    places = {ast.unparse(node): trees.location(path, node) for node in calls(path)}
    inner = places["über(1)"]
    assert (inner.line, inner.column, inner.end_line, inner.end_column) == (1, 11, 1, 18)


def test_expression_at_its_own_location(path):
    for node in calls(path):
        assert trees.expression_at(trees.location(path, node)) is node


def test_no_expression_stands_there(path):
    at = trees.location(path, calls(path)[0])
    shifted = trees.Location(path=path, line=at.line, column=at.column + 1, end_line=at.end_line, end_column=at.end_column)
    assert trees.expression_at(shifted) is None
    assert trees.expression_at(trees.Location(path=path, line=1)) is None
