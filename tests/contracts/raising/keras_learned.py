"""Exceptions of Keras of a first round that was held out: 67 of the 82 that it raised were right when it was first scored."""

import keras
import numpy as np
from harness import means


@means("ShapeMismatchError")
def convolution_of_a_vector():
    keras.layers.Conv2D(4, 3)(np.zeros((2, 3), "float32"))


@means("ShapeMismatchError")
def sum_of_unlike():
    keras.layers.Add()([keras.Input((3,)), keras.Input((4,))])


@means("ShapeMismatchError")
def reshape_of_another_size():
    keras.layers.Reshape((4, 2))(keras.Input((6,)))


@means("ShapeMismatchError")
def product_of_unlike():
    keras.ops.matmul(keras.ops.zeros((2, 3)), keras.ops.zeros((4, 5)))


@means("ShapeMismatchError")
def categorical_targets_of_other_classes():
    m = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, activation="softmax")])
    m.compile("sgd", "categorical_crossentropy")
    m.fit(np.zeros((4, 3)), np.zeros((4, 5)), verbose=0)


@means("GraphError", "DataContractError")
def loss_that_is_none():
    keras.losses.get("no_such_loss")


@means("UnsupportedControlFlow", "TracingError")
def loop_over_a_symbol():
    len(keras.Input((3,)))


@means("TracingError")
def numpy_of_a_symbol():
    np.asarray(keras.Input((3,)))


@means("DataContractError", "GraphError")
def weights_of_another_ending():
    keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)]).save_weights("/tmp/weights.txt")


@means("GraphError")
def output_of_what_has_no_input():
    keras.Sequential([keras.layers.Dense(2)]).outputs  # noqa: B018
