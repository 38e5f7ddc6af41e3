"""Exceptions of TensorFlow that the classifier was written with."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf
from harness import means


@means("ShapeMismatchError")
def product_of_unlike():
    tf.matmul(tf.zeros((2, 3)), tf.zeros((4, 5)))


@means("ShapeMismatchError")
def sum_of_unlike():
    tf.zeros(3) + tf.zeros(4)


@means("ShapeMismatchError")
def concatenation_of_unlike():
    tf.concat([tf.zeros((2, 3)), tf.zeros((2, 4))], 0)


@means("ShapeMismatchError")
def reshape_of_another_size():
    tf.reshape(tf.zeros(6), (4, 2))


@means("ShapeMismatchError")
def shape_of_a_function():
    tf.function(lambda a, b: tf.matmul(a, b))(tf.zeros((2, 3)), tf.zeros((4, 5)))


@means("ShapeMismatchError")
def variable_of_another_shape():
    tf.Variable(tf.zeros(3)).assign(tf.zeros(4))


@means("DataContractError")
def sum_of_other_types():
    tf.zeros(3) + tf.zeros(3, dtype=tf.int32)


@means("DataContractError")
def index_past_the_end():
    tf.gather(tf.zeros(3), [5])


@means("DataContractError")
def assertion_that_fails():
    tf.debugging.assert_less(tf.constant(5), 3)


@means("NumericError")
def nan_where_numbers_are_checked():
    tf.debugging.check_numerics(tf.constant(float("nan")), "loss")


@means("NumericError")
def inverse_of_singular():
    tf.linalg.inv(tf.zeros((2, 2)))


@means("OutOfMemory")
def memory_of_exabytes():
    tf.zeros((1 << 20, 1 << 20, 1 << 10))


@means("UnsupportedControlFlow")
def branch_without_autograph():
    @tf.function(autograph=False)
    def f(x):
        return x if x > 0 else -x

    f(tf.constant(1.0))


@means("TracingError")
def tensor_of_another_function():
    kept = []

    @tf.function
    def f(x):
        kept.append(x + 1)
        return x

    f(tf.constant(1.0))

    @tf.function
    def g():
        return kept[0] + 1

    g()


@means("TracingError")
def numpy_in_a_function():
    tf.function(lambda x: x.numpy())(tf.constant(1.0))


@means("TracingError")
def variable_made_at_each_call():
    tf.function(lambda: tf.Variable(1.0))()


@means("GraphError")
def operation_without_kernel():
    tf.raw_ops.MatrixInverse(input=tf.zeros((2, 2), dtype=tf.bfloat16))


@means("DataContractError")
def end_of_the_data():
    it = iter(tf.data.Dataset.range(1))
    it.get_next()
    it.get_next()


@means("DataContractError")
def file_that_is_not_there():
    tf.io.read_file("/no/such/file")


@means("DataContractError")
def records_that_are_none():
    path = "/tmp/tensan-no-records"
    with open(path, "wb") as file:
        file.write(b"x" * 100)
    try:
        list(tf.data.TFRecordDataset(path))
    finally:
        os.unlink(path)


@means("DeviceError")
def device_that_is_none():
    with tf.device("/GPU:7"):
        tf.config.set_soft_device_placement(False)
        try:
            tf.zeros(3) + 1
        finally:
            tf.config.set_soft_device_placement(True)


@means("GradientFlowError")
def gradient_asked_for_twice():
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    tape.gradient(y, x)


@means("DataContractError")
def ragged_rows():
    tf.constant([[1, 2], [3]])


@means("ShapeMismatchError")
def batch_of_unlike():
    list(tf.data.Dataset.from_generator(lambda: (list(range(n)) for n in (1, 2)), output_types=tf.int32).batch(2))
