"""Exceptions of JAX that the classifier was written with."""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
from harness import means
from jax import lax


@means("UnsupportedControlFlow")
def branch_in_jit():
    jax.jit(lambda x: x if x > 0 else -x)(1.0)


@means("UnsupportedControlFlow")
def range_of_a_tracer():
    jax.jit(lambda n: sum(range(n)))(3)


@means("TracingError")
def numpy_of_a_tracer():
    import numpy as np

    jax.jit(lambda x: np.asarray(x))(1.0)


@means("TracingError")
def float_of_a_tracer():
    jax.jit(lambda x: float(x))(1.0)


@means("TracingError")
def mask_in_jit():
    jax.jit(lambda x: x[x > 0])(jnp.ones(3))


@means("TracingError")
def slice_in_jit():
    jax.jit(lambda x, n: x[:n])(jnp.ones(3), 2)


@means("TracingError")
def shape_in_jit():
    jax.jit(lambda n: jnp.zeros(n))(3)


@means("TracingError")
def leaked_tracer():
    kept = []
    jax.jit(lambda x: kept.append(x) or x)(1.0)
    kept[0] + 1


@means("ShapeMismatchError")
def sum_of_unlike():
    jnp.zeros(3) + jnp.zeros(4)


@means("ShapeMismatchError")
def product_of_unlike():
    jnp.zeros((2, 3)) @ jnp.zeros((4, 5))


@means("ShapeMismatchError")
def concatenation_of_unlike():
    jnp.concatenate([jnp.zeros((2, 3)), jnp.zeros((2, 4))])


@means("ShapeMismatchError")
def reshape_of_another_size():
    jnp.zeros(6).reshape(4, 2)


@means("ShapeMismatchError")
def carry_of_another_shape():
    lax.scan(lambda c, x: (jnp.concatenate([c, c]), x), jnp.zeros(1), jnp.zeros(3))


@means("ShapeMismatchError")
def vmap_of_unlike():
    jax.vmap(lambda a, b: a + b)(jnp.zeros(3), jnp.zeros(4))


@means("GradientFlowError")
def gradient_of_many():
    jax.grad(lambda x: x * 2)(jnp.ones(3))


@means("GradientFlowError")
def gradient_of_integers():
    jax.grad(lambda x: x * 2.0)(3)


@means("GradientFlowError")
def gradient_of_a_while_loop():
    jax.grad(lambda x: lax.while_loop(lambda c: c < 10.0, lambda c: c * 2, x))(1.0)


@means("NumericError")
def nan_while_nans_are_looked_for():
    jax.config.update("jax_debug_nans", True)
    try:
        jnp.log(jnp.array(-1.0))
    finally:
        jax.config.update("jax_debug_nans", False)


@means("OutOfMemory")
def memory_of_exabytes():
    jnp.zeros((1 << 40, 1 << 10), dtype=jnp.float32).block_until_ready()


@means("DeviceError")
def device_that_is_none():
    jax.devices("gpu")


@means("DataContractError")
def key_that_is_none():
    jax.random.normal(jnp.zeros(3), (2,))


@means("TracingError")
def static_that_does_not_hash():
    jax.jit(lambda x, n: x, static_argnums=1)(1.0, [1])


@means("DataContractError")
def text_for_an_array():
    jnp.sin("a")


@means("DataContractError")
def donated_and_used_again():
    x = jnp.ones(3)
    jax.jit(lambda x: x + 1, donate_argnums=0)(x)
    x.delete()
    x + 1
