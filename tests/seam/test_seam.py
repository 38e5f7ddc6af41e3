"""The seam: rules that were written while looking at PyTorch speak, unchanged, of JAX programs."""

import ast
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from seam.jaxpr_adapter import observe

import tensan.rules
from tensan.core import plugins
from tensan.core.settings import Settings
from tensan.core.watch import Watch

FRAMEWORKS = {"torch", "tensorflow", "keras", "jax", "jaxlib", "flax", "optax", "numpy", "onnxruntime"}
KEYS = jax.random.split(jax.random.key(0), 4)
X, Y = jax.random.normal(KEYS[0], (16, 8)), jax.random.normal(KEYS[1], (16,))
WEIGHTS = {"hidden": jax.random.normal(KEYS[2], (8, 4)), "out": jax.random.normal(KEYS[3], (4, 1))}


def network(parameters, x):
    return jax.nn.relu(x @ parameters["hidden"]) @ parameters["out"]


def broadcasting(parameters, x, y):
    prediction = network(parameters, x)
    return jnp.mean((prediction - y) ** 2)  #: SHP101


def squeezed(parameters, x, y):
    prediction = network(parameters, x).squeeze(1)
    return jnp.mean((prediction - y) ** 2)


def weighted(parameters, x, y):
    losses = (network(parameters, x) - y[:, None]) ** 2
    return jnp.mean(jnp.abs(y) * losses)  #: SHP101


def all_pairs(parameters, x, y):
    score = network(parameters, x).squeeze(1)
    return jnp.mean((score[:, None] - y[None, :]) ** 2)


def all_pairs_by_hand(parameters, x, y):
    score = network(parameters, x).squeeze(1)
    return jnp.mean((score[:, None] - y) ** 2)


def rooted(parameters, x, y):
    code = x @ parameters["hidden"]
    distance = jnp.sqrt(jnp.sum(code**2, axis=1))  #: NUM101
    return jnp.mean((distance - y) ** 2) + jnp.mean(parameters["out"] ** 2)


def rooted_safely(parameters, x, y):
    code = x @ parameters["hidden"]
    distance = jnp.sqrt(jnp.sum(code**2, axis=1) + 1e-8)
    return jnp.mean((distance - y) ** 2) + jnp.mean(parameters["out"] ** 2)


def hidden_by_where(parameters, x, y):
    total = jnp.sum((x @ parameters["hidden"]) ** 2, axis=1)
    distance = jnp.where(total > 0, jnp.sqrt(total), 0.0)  #: NUM101
    return jnp.mean((distance - y) ** 2)


def watched(loss_function, *, x=X, steps=2):
    """Runs a loss under every trace rule there is, as an adapter would."""
    rules = [rule() for rule in plugins.all_rules() if rule.__module__.startswith("tensan.rules.")]
    watch = Watch(settings=Settings(), rules=rules)
    for step in range(steps):
        observe(watch, loss_function, WEIGHTS, x, Y, step=step)
    report = watch.finish(status="completed", exit_status=0)
    assert report.run.notes == []
    return report


def marked(loss_function):
    """Line and code of the mark in a function's source."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    first = loss_function.__code__.co_firstlineno
    return next((number, line.partition("#: ")[2]) for number, line in enumerate(lines[first:], first + 1) if "#: " in line)


@pytest.mark.parametrize("loss_function", [broadcasting, weighted])
def test_broadcast_in_loss(loss_function):
    (told,) = watched(loss_function).findings
    assert (told.line, told.code) == marked(loss_function)
    assert told.path == __file__
    assert told.proof == "law"
    assert told.count == 2
    assert "f32[16, 16]" in told.message
    assert "256" in told.label


def test_words_are_those_of_the_program():
    (told,) = watched(broadcasting).findings
    assert told.message == "loss compares f32[16, 1] with f32[16], which broadcasts to f32[16, 16]"
    assert told.source[told.column - 1 : told.end_column - 1] == "prediction - y"
    assert "`prediction.squeeze(1)` or `y.unsqueeze(1)`" in told.help
    assert told.related[0]["line"] == network.__code__.co_firstlineno + 1


@pytest.mark.parametrize("loss_function", [rooted, hidden_by_where])
def test_non_finite_gradient(loss_function):
    (told,) = watched(loss_function, x=X.at[5].set(0.0)).findings
    assert (told.line, told.code) == marked(loss_function)
    assert "`hidden`" in told.message
    assert "sqrt" in told.label


@pytest.mark.parametrize("loss_function", [squeezed, all_pairs, all_pairs_by_hand, rooted, rooted_safely, hidden_by_where])
def test_right_programs_are_left_in_peace(loss_function):
    x = X.at[5].set(0.0) if loss_function is rooted_safely else X
    report = watched(loss_function, x=x)
    assert report.findings == []
    assert "NUM101" in report.run.rules_armed


def test_armed_on_the_fixed_twin():
    assert {"SHP101", "NUM101"} <= set(watched(squeezed).run.rules_armed)


@pytest.mark.parametrize("path", sorted(Path(next(iter(tensan.rules.__path__))).rglob("*.py")), ids=lambda path: path.stem)
def test_no_rule_names_a_framework_in_an_import(path):
    assert not _imported(path.read_text(encoding="utf-8")) & FRAMEWORKS


def test_that_check_can_fail():
    assert _imported("def f():\n    import jax.numpy as jnp\n") & FRAMEWORKS
    assert _imported("from torch.nn import Linear\n") & FRAMEWORKS


def _imported(text):
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return names
