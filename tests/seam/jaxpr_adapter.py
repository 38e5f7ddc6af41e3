"""An adapter of one page: a JAX loss becomes a recorded step, so that rules written for nobody in particular can judge it."""

import jax
import jax.numpy as jnp
from jax._src import source_info_util
from jax.extend.core import Literal

from tensan.core.events.things import Operation, Parameter, Value
from tensan.core.events.training import Loss, Measured
from tensan.core.sites import Location
from tensan.core.stats import Of, Reduction, Stat

_NAMES = {
    "dot_general": "matmul",
    "integer_pow": "pow",
    "broadcast_in_dim": "expand",
    "reshape": "view",
    "convert_element_type": "cast",
    "select_n": "where",
    "max": "maximum",
    "min": "minimum",
    "reduce_sum": "sum",
    "reduce_max": "max",
    "logistic": "sigmoid",
    "stop_gradient": "detach",
    **dict.fromkeys(("gt", "lt", "ge", "le", "eq", "ne"), "compare"),
}
NONFINITE = Stat(Reduction.NONFINITE_SHARE, Of.GRADIENT)


def observe(watch, loss_function, parameters, *batch, step=0):
    """Tells of one step of `loss_function(parameters, *batch)`: its operations, then its gradients."""
    leaves = {
        f"parameter:{number}": Parameter(id=f"parameter:{number}", name=name, shape=array.shape, dtype=str(array.dtype))
        for number, (name, array) in enumerate(sorted(parameters.items()))
    }
    closed = jax.make_jaxpr(loss_function)(parameters, *batch)
    subjects = [*leaves, *["batch"] * (len(closed.jaxpr.invars) - len(leaves))]
    known = {
        variable: _value(variable, subject=subject, requires_grad=subject in leaves)
        for variable, subject in zip(closed.jaxpr.invars, subjects, strict=True)
    }
    operations = []
    _record(closed.jaxpr, known, operations)
    watch.emit(Loss(step=step, value=known[closed.jaxpr.outvars[0]], leaves=tuple(leaves.values()), operations=tuple(operations)))
    gradients = jax.grad(loss_function)(parameters, *batch)
    shares = {name: float(1 - jnp.isfinite(array).mean()) for name, (_, array) in zip(leaves, sorted(gradients.items()), strict=True)}
    watch.emit(Measured(step=step, stat=NONFINITE, values=shares, parameters=leaves))


def _record(jaxpr, known, operations):
    for variable in jaxpr.constvars:
        known[variable] = _value(variable)
    for equation in jaxpr.eqns:
        inputs = [variable for variable in equation.invars if not isinstance(variable, Literal)]
        inner = equation.params.get("jaxpr") or equation.params.get("call_jaxpr")
        if inner is not None:  # a function that was compiled on its own: its operations belong to the step all the same
            body = getattr(inner, "jaxpr", inner)
            given = zip(body.invars, equation.invars, strict=True)
            known.update({name: _value(name) if isinstance(outer, Literal) else known[outer] for name, outer in given})
            _record(body, known, operations)
            known.update({outer: known[name] for outer, name in zip(equation.outvars, body.outvars, strict=True)})
            continue
        values = tuple(known[variable] for variable in inputs)
        flows = any(value.requires_grad for value in values) and equation.primitive.name != "stop_gradient"
        for variable in equation.outvars:
            known[variable] = _value(variable, producer=len(operations), requires_grad=flows and "float" in str(variable.aval.dtype))
        operations.append(
            Operation(
                index=len(operations),
                name=_NAMES.get(equation.primitive.name, equation.primitive.name),
                inputs=values,
                outputs=tuple(known[variable] for variable in equation.outvars),
                site=_place(equation),
                settings={"exponent": equation.params["y"]} if "y" in equation.params else {},
            )
        )


def _value(variable, **fields):
    return Value(shape=tuple(variable.aval.shape), dtype=str(variable.aval.dtype), **fields)


def _place(equation):
    frame = source_info_util.user_frame(equation.source_info.traceback)
    if frame is None:
        return None
    line, column, end = frame.start_line, frame.start_column + 1, frame.end_column + 1
    return Location(path=frame.file_name, line=line, column=column, end_line=frame.end_line, end_column=end, function=frame.function_name)
