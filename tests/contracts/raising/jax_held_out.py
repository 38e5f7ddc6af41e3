"""Exceptions of JAX that were written after the laws had been mended for the second time and committed."""

import jax
import jax.numpy as jnp
from harness import means
from jax import lax


@means("UnsupportedControlFlow")
def comparison_chain_in_jit():
    jax.jit(lambda x: 0 < x < 1)(0.5)


@means("TracingError")
def one_hot_of_traced_size():
    jax.jit(lambda n: jax.nn.one_hot(jnp.arange(3), n))(4)


@means("TracingError")
def linspace_in_jit():
    jax.jit(lambda n: jnp.linspace(0, 1, n))(4)


@means("ShapeMismatchError")
def dot_of_unlike():
    jnp.dot(jnp.zeros(3), jnp.zeros(4))


@means("ShapeMismatchError")
def transposition_of_other_axes():
    jnp.transpose(jnp.zeros((2, 3)), (0, 1, 2))


@means("ShapeMismatchError")
def slice_of_another_rank():
    lax.dynamic_slice(jnp.zeros((2, 3)), (0,), (1,))


@means("GradientFlowError")
def gradient_of_a_pair():
    jax.grad(lambda x: (x, x))(1.0)
