"""Claims about NumPy, JAX, Keras, TensorFlow and ONNX Runtime."""

import math

import numpy as np
from claims.register import claim, raises


@claim("numpy", "Arithmetic in uint8 arrays wraps around without a warning", used_by="DAT120")
def numpy_uint8_wraps():
    return int((np.array([200], np.uint8) + np.array([100], np.uint8))[0]) == 44


@claim("numpy", "Arrays [B, 1] and [B] are compared in all pairs without an error", used_by="EVL120")
def numpy_compares_pairs():
    return (np.zeros((3, 1)) == np.zeros(3)).shape == (3, 3)


@claim("jax", "A slice with a traced bound raises an IndexError", used_by="tensan.errors")
def jax_traced_slice_raises():
    import jax

    return raises(IndexError, jax.jit(lambda x, n: x[:n]), np.ones(4), 2)


@claim("jax", "An index beyond the end is clamped to the last entry, without an error", used_by="often said otherwise")
def jax_clamps():
    import jax.numpy as jnp

    return float(jnp.arange(4.0)[10]) == 3.0


@claim("jax", "A branch on a traced value raises TracerBoolConversionError", used_by="tensan.errors")
def jax_branch_raises():
    import jax

    return raises(jax.errors.TracerBoolConversionError, jax.jit(lambda x: x if x > 0 else -x), 1.0)


@claim("jax", "The same key draws the same numbers", used_by="often said otherwise")
def jax_key_repeats():
    import jax

    key = jax.random.key(0)
    return bool((jax.random.normal(key, (4,)) == jax.random.normal(key, (4,))).all())


@claim("jax", "64-bit floats become 32-bit floats unless that is switched on", used_by="often said otherwise")
def jax_narrows_doubles():
    import jax.numpy as jnp

    return jnp.asarray(np.zeros(2)).dtype == np.float32


@claim("keras", "Tensors have no _keras_shape", used_by="often said otherwise")
def keras_shape_is_not_there():
    import keras

    return not hasattr(keras.Input((4,)), "_keras_shape")


@claim("keras", "A layer that returns a list does not cut the graph", used_by="often said otherwise")
def keras_list_keeps_graph():
    import keras

    x = keras.Input((4,))
    both = keras.layers.Lambda(lambda x: [x * 2, x + 1])(keras.layers.Dense(3)(x))
    return len(keras.Model(x, both[0]).trainable_weights) == 2


@claim("keras", "BatchNormalization of a batch of one in training gives zeros, without an error", used_by="often said otherwise")
def keras_batch_of_one_is_silent():
    import keras

    out = keras.layers.BatchNormalization()(np.array([[3.0, 5.0]], np.float32), training=True)
    return float(np.abs(keras.ops.convert_to_numpy(out)).max()) < 1e-3


@claim(
    "tensorflow", "Determinism that is asked for late does not raise; an operation without a seed does then", used_by="often said otherwise"
)
def tensorflow_needs_seeds():
    import tensorflow as tf

    tf.random.uniform((1,))
    tf.config.experimental.enable_op_determinism()
    try:
        return raises(RuntimeError, tf.random.uniform, (1,))
    finally:
        from tensorflow.python.framework import config

        config.disable_op_determinism()


@claim(
    "tensorflow",
    "An operation placed on a device that is not there runs on another, without an error, where placement is soft",
    used_by="tensan.device",
)
def tensorflow_places_softly():
    import tensorflow as tf

    before = tf.config.get_soft_device_placement()
    tf.config.set_soft_device_placement(True)
    try:
        with tf.device("/GPU:7"):
            return "CPU" in (tf.constant([1.0]) + 1).device
    finally:
        tf.config.set_soft_device_placement(before)


def _session(providers=("CPUExecutionProvider",)):
    import onnx
    import onnxruntime as ort

    made = onnx.helper
    node = made.make_node("Log", ["x"], ["y"])
    axes = [made.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [None, 2]) for name in "xy"]
    model = made.make_model(made.make_graph([node], "g", axes[:1], axes[1:]), opset_imports=[made.make_opsetid("", 17)], ir_version=8)
    options = ort.SessionOptions()
    options.log_severity_level = 4
    return ort.InferenceSession(model.SerializeToString(), options, providers=list(providers))


@claim("onnxruntime", "NaN in an output is no error", used_by="tensan.errors")
def onnxruntime_returns_nan():
    return math.isnan(_session().run(None, {"x": -np.ones((1, 2), np.float32)})[0][0, 0])


@claim("onnxruntime", "An input of another type is refused with InvalidArgument", used_by="tensan.errors")
def onnxruntime_refuses_types():
    from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument

    return raises(InvalidArgument, _session().run, None, {"x": np.ones((1, 2))})


@claim("onnxruntime", "A provider that is not installed is left out with a warning, and the CPU takes its place", used_by="tensan.errors")
def onnxruntime_falls_back():
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _session(("CUDAExecutionProvider", "CPUExecutionProvider")).get_providers() == ["CPUExecutionProvider"]


@claim("onnxruntime", "There is no class ONNXRuntimeException", used_by="often said otherwise")
def onnxruntime_exception_is_not_there():
    import onnxruntime

    return not hasattr(onnxruntime, "ONNXRuntimeException")
