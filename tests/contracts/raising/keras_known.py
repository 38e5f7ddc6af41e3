"""Exceptions of Keras that the classifier was written with."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf
from harness import means


def model():
    m = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    m.compile("sgd", "mse")
    return m


@means("ShapeMismatchError")
def layer_of_another_width():
    model()(np.zeros((4, 5), "float32"))


@means("ShapeMismatchError")
def fit_on_another_width():
    model().fit(np.zeros((4, 5)), np.zeros((4, 2)), verbose=0)


@means("ShapeMismatchError")
def fit_on_other_targets():
    model().fit(np.zeros((4, 3)), np.zeros((4, 5)), verbose=0)


@means("ShapeMismatchError")
def data_of_other_lengths():
    model().fit(np.zeros((4, 3)), np.zeros((5, 2)), verbose=0)


@means("ShapeMismatchError")
def weights_of_another_model():
    model().set_weights([np.zeros((4, 2)), np.zeros(2)])


@means("ShapeMismatchError")
def concatenation_of_unlike():
    keras.layers.Concatenate(axis=0)([keras.Input((3,)), keras.Input((4,))])


@means("UnsupportedControlFlow")
def branch_on_a_symbol():
    class Own(keras.layers.Layer):
        def call(self, x):
            return x if x > 0 else -x

    keras.Model(i := keras.Input((3,)), Own()(i))


@means("TracingError")
def tensorflow_on_a_symbol():
    tf.reduce_sum(keras.Input((3,)))


@means("DisconnectedGradient")
def no_gradient_for_any():
    m = model()
    m.optimizer.apply_gradients([(None, v) for v in m.trainable_variables])


@means("GraphError")
def fit_before_compile():
    m = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    m.fit(np.zeros((4, 3)), np.zeros((4, 2)), verbose=0)


@means("DataContractError")
def data_of_text():
    model().fit(np.array([["a", "b", "c"]]), np.zeros((1, 2)), verbose=0)


@means("DataContractError")
def token_past_the_table():
    m = keras.Sequential([keras.Input((2,), dtype="int32"), keras.layers.Embedding(4, 2)])
    m.predict(np.array([[1, 9]]), verbose=0)


@means("DataContractError")
def file_that_is_not_there():
    keras.models.load_model("/no/such/model.keras")


@means("NumericError")
def nan_under_check_numerics():
    tf.debugging.enable_check_numerics()
    try:
        keras.ops.log(tf.constant(-1.0)) + 0
    finally:
        tf.debugging.disable_check_numerics()


@means("GraphError")
def layer_not_built():
    keras.Sequential([keras.layers.Dense(2)]).count_params()
