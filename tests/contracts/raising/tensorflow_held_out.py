"""Exceptions of TensorFlow that were written after the laws had been mended for the second time and committed."""

import tensorflow as tf
from harness import means


@means("ShapeMismatchError")
def pad_of_another_rank():
    tf.pad(tf.zeros((2, 3)), [[1, 1]])


@means("ShapeMismatchError")
def bias_of_another_width():
    tf.nn.bias_add(tf.zeros((2, 3)), tf.zeros(4))


@means("DataContractError")
def parsed_from_nonsense():
    tf.io.parse_single_example(b"nonsense", {"a": tf.io.FixedLenFeature([], tf.int64)})


@means("DataContractError")
def variable_of_another_type():
    tf.Variable(1.0).assign("a")


@means("NumericError")
def solution_of_a_singular_system():
    tf.linalg.solve(tf.zeros((2, 2)), tf.zeros((2, 1)))


@means("TracingError", "UnsupportedControlFlow")
def symbol_in_numpy():
    import numpy as np

    tf.function(lambda x: np.sin(x))(tf.constant(1.0))
