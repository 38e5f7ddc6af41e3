"""Exceptions of JAX of a first round that was held out: 67 of the 82 that it raised were right when it was first scored."""

import jax
import jax.numpy as jnp
from harness import means
from jax import lax


@means("UnsupportedControlFlow")
def while_in_jit():
    def f(x):
        while x < 10:
            x = x * 2
        return x

    jax.jit(f)(1.0)


@means("UnsupportedControlFlow")
def assertion_in_grad_of_jit():
    def f(x):
        assert (x > 0).all()
        return x.sum()

    jax.jit(jax.grad(f))(jnp.ones(3))


@means("TracingError")
def item_in_jit():
    jax.jit(lambda x: x.item())(1.0)


@means("TracingError")
def unique_in_jit():
    jax.jit(jnp.unique)(jnp.ones(3))


@means("TracingError")
def where_of_one_argument_in_jit():
    jax.jit(lambda x: jnp.where(x > 0))(jnp.ones(3))


@means("TracingError")
def arange_in_jit():
    jax.jit(lambda n: jnp.arange(n))(3)


@means("ShapeMismatchError")
def stack_of_unlike():
    jnp.stack([jnp.zeros(2), jnp.zeros(3)])


@means("ShapeMismatchError")
def convolution_of_other_channels():
    lax.conv(jnp.zeros((1, 3, 8, 8)), jnp.zeros((4, 2, 3, 3)), (1, 1), "SAME")


@means("ShapeMismatchError")
def broadcast_to_another_shape():
    jnp.broadcast_to(jnp.zeros(3), (4,))


@means("ShapeMismatchError")
def einsum_of_unlike():
    jnp.einsum("ij,jk->ik", jnp.zeros((2, 3)), jnp.zeros((4, 5)))


@means("ShapeMismatchError", "TracingError")
def branches_of_unlike():
    lax.cond(True, lambda x: x, lambda x: jnp.concatenate([x, x]), jnp.zeros(2))


@means("GradientFlowError")
def gradient_into_integers():
    jax.grad(lambda x: jnp.int32(x))(1.0)


@means("GradientFlowError")
def cotangent_of_another_shape():
    _, pull = jax.vjp(lambda x: x * 2, jnp.ones(3))
    pull(jnp.ones(4))


@means("DataContractError")
def optional_given_as_none():
    jax.jit(lambda x: x + 1)(object())


@means("DataContractError")
def types_of_lax_that_differ():
    lax.add(jnp.zeros(3), jnp.zeros(3, dtype=jnp.int32))


@means("TracingError", "DataContractError", "ShapeMismatchError")
def trees_that_differ():
    jax.tree.map(lambda a, b: a, {"a": 1}, {"b": 1})
