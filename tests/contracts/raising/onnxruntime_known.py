"""Exceptions of ONNX Runtime that the classifier was written with."""

import numpy as np
import onnx
import onnxruntime as ort
from harness import means
from onnx import TensorProto, helper

ort.set_default_logger_severity(4)
FLOAT = TensorProto.FLOAT


def session(nodes, inputs, outputs, **given):
    graph = helper.make_graph(nodes, "g", inputs, outputs, **given)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def value(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def identity():
    return session([helper.make_node("Identity", ["x"], ["y"])], [value("x", ["N", 3])], [value("y", ["N", 3])])


@means("ShapeMismatchError")
def input_of_another_width():
    identity().run(None, {"x": np.zeros((1, 4), "float32")})


@means("ShapeMismatchError")
def input_of_another_rank():
    identity().run(None, {"x": np.zeros(3, "float32")})


@means("DataContractError")
def input_of_another_type():
    identity().run(None, {"x": np.zeros((1, 3))})


@means("DataContractError")
def input_that_is_missing():
    identity().run(None, {})


@means("DataContractError")
def input_of_another_name():
    identity().run(None, {"z": np.zeros((1, 3), "float32")})


@means("DataContractError")
def output_that_is_none():
    identity().run(["z"], {"x": np.zeros((1, 3), "float32")})


@means("ShapeMismatchError")
def product_of_unlike():
    s = session([helper.make_node("MatMul", ["a", "b"], ["y"])], [value("a", ["N", "K"]), value("b", ["L", "M"])], [value("y", ["N", "M"])])
    s.run(None, {"a": np.zeros((2, 3), "float32"), "b": np.zeros((4, 5), "float32")})


@means("ShapeMismatchError")
def sum_of_unlike():
    s = session([helper.make_node("Add", ["a", "b"], ["y"])], [value("a", ["N"]), value("b", ["M"])], [value("y", ["K"])])
    s.run(None, {"a": np.zeros(3, "float32"), "b": np.zeros(4, "float32")})


@means("ShapeMismatchError")
def reshape_of_another_size():
    shape = helper.make_tensor("s", TensorProto.INT64, [2], [4, 2])
    s = session([helper.make_node("Reshape", ["x", "s"], ["y"])], [value("x", ["N"])], [value("y", [4, 2])], initializer=[shape])
    s.run(None, {"x": np.zeros(6, "float32")})


@means("DataContractError")
def index_past_the_end():
    s = session(
        [helper.make_node("Gather", ["x", "i"], ["y"])], [value("x", [3]), value("i", ["N"], TensorProto.INT64)], [value("y", ["N"])]
    )
    s.run(None, {"x": np.zeros(3, "float32"), "i": np.array([7])})


@means("ServingError")
def file_that_is_not_there():
    ort.InferenceSession("/no/such/model.onnx")


@means("GraphError")
def bytes_that_are_no_model():
    ort.InferenceSession(b"nonsense" * 20)


@means("GraphError")
def operation_that_is_none():
    session([helper.make_node("Nonsense", ["x"], ["y"])], [value("x", [1])], [value("y", [1])])


@means("GraphError")
def graph_with_a_missing_input():
    session([helper.make_node("Add", ["x", "nowhere"], ["y"])], [value("x", [1])], [value("y", [1])])


@means("GraphError")
def operation_without_kernel():
    s = session([helper.make_node("Det", ["x"], ["y"])], [value("x", [2, 2], TensorProto.DOUBLE)], [value("y", [], TensorProto.DOUBLE)])
    s.run(None, {"x": np.zeros((2, 2))})


@means("OutOfMemory")
def memory_of_exabytes():
    s = session([helper.make_node("ConstantOfShape", ["s"], ["y"])], [value("s", [2], TensorProto.INT64)], [value("y", ["A", "B"])])
    s.run(None, {"s": np.array([1 << 25, 1 << 25])})


@means("GraphError")
def opset_of_the_future():
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", [value("x", [1])], [value("y", [1])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 999)], ir_version=9)
    ort.InferenceSession(model.SerializeToString())


@means("ServingError")
def run_that_is_stopped():
    options = ort.RunOptions()
    options.terminate = True
    identity().run(None, {"x": np.zeros((1, 3), "float32")}, options)


@means("GraphError")
def model_that_does_not_check():
    graph = helper.make_graph([helper.make_node("Relu", ["x", "x"], ["y"])], "g", [value("x", [1])], [value("y", [1])])
    onnx.checker.check_model(helper.make_model(graph))
