"""Exceptions of JAX of a second round that was held out: 48 of 57 were right when it was first scored."""

import jax
import jax.numpy as jnp
from harness import means
from jax import lax


@means("UnsupportedControlFlow")
def conditional_expression_in_vmap():
    jax.vmap(lambda x: 1 if x > 0 else 0)(jnp.ones(3))


@means("UnsupportedControlFlow", "TracingError")
def list_indexed_by_a_tracer():
    jax.jit(lambda i: [1, 2, 3][i])(0)


@means("TracingError")
def nonzero_in_jit():
    jax.jit(jnp.nonzero)(jnp.ones(3))


@means("TracingError")
def reshape_by_a_tracer():
    jax.jit(lambda x, n: x.reshape(n, 1))(jnp.ones(3), 3)


@means("TracingError")
def complex_of_a_tracer():
    jax.jit(lambda x: complex(x))(1.0)


@means("ShapeMismatchError")
def where_of_unlike():
    jnp.where(jnp.ones(3, bool), jnp.zeros(4), 0.0)


@means("ShapeMismatchError")
def squeeze_of_what_is_not_one():
    jnp.squeeze(jnp.zeros((2, 3)), axis=0)


@means("ShapeMismatchError")
def axis_that_is_none():
    jnp.sum(jnp.zeros(3), axis=2)


@means("ShapeMismatchError")
def update_of_another_shape():
    jnp.zeros(3).at[:2].set(jnp.zeros(4))


@means("ShapeMismatchError", "TracingError")
def loop_that_changes_its_shape():
    lax.fori_loop(0, 3, lambda i, x: jnp.concatenate([x, x]), jnp.zeros(1))


@means("GradientFlowError")
def jacobian_of_integers():
    jax.jacfwd(lambda x: x)(3)
