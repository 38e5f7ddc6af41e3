"""Exceptions of Keras that were written after the laws had been mended for the second time and committed."""

import keras
import numpy as np
from harness import means


@means("ShapeMismatchError")
def pooling_of_a_vector():
    keras.layers.MaxPooling2D()(keras.Input((3,)))


@means("ShapeMismatchError")
def binary_targets_of_another_width():
    m = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1, activation="sigmoid")])
    m.compile("sgd", "binary_crossentropy")
    m.fit(np.zeros((4, 3)), np.zeros((4, 2)), verbose=0)


@means("GraphError", "DataContractError")
def optimizer_that_is_none():
    keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)]).compile("no_such_optimizer", "mse")
