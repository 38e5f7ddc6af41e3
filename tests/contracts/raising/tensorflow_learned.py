"""Exceptions of TensorFlow of a first round that was held out: 67 of the 82 that it raised were right when it was first scored."""

import tensorflow as tf
from harness import means


@means("ShapeMismatchError")
def convolution_of_other_channels():
    tf.nn.conv2d(tf.zeros((1, 8, 8, 3)), tf.zeros((3, 3, 4, 8)), 1, "SAME")


@means("ShapeMismatchError")
def stack_of_unlike():
    tf.stack([tf.zeros(2), tf.zeros(3)])


@means("ShapeMismatchError")
def einsum_of_unlike():
    tf.einsum("ij,jk->ik", tf.zeros((2, 3)), tf.zeros((4, 5)))


@means("ShapeMismatchError")
def broadcast_to_another_shape():
    tf.broadcast_to(tf.zeros(3), (4,))


@means("ShapeMismatchError")
def squeeze_of_what_is_not_one():
    tf.squeeze(tf.zeros((2, 3)), axis=0)


@means("ShapeMismatchError", "DataContractError")
def logits_of_other_batch():
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=tf.zeros((3, 4)))


@means("DataContractError")
def product_of_other_types():
    tf.matmul(tf.zeros((2, 2)), tf.zeros((2, 2), dtype=tf.float64))


@means("DataContractError", "GraphError")
def one_hot_of_text():
    tf.one_hot("a", 3)


@means("DataContractError")
def slice_past_the_end():
    tf.zeros(3)[5]


@means("UnsupportedControlFlow")
def loop_over_a_tensor_without_autograph():
    @tf.function(autograph=False)
    def f(x):
        return [y for y in x]

    f(tf.zeros(3))


@means("ShapeMismatchError", "TracingError", "DataContractError")
def call_outside_of_the_signature():
    tf.function(lambda x: x, input_signature=[tf.TensorSpec([3])])(tf.zeros(4))


@means("DataContractError")
def checkpoint_that_is_not_there():
    tf.train.load_checkpoint("/no/such/checkpoint")


@means("DataContractError")
def text_that_is_no_number():
    tf.strings.to_number("abc")


@means("GraphError", "DataContractError")
def picture_that_is_none():
    tf.io.decode_png(b"no picture")
