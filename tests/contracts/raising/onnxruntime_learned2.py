"""Exceptions of ONNX Runtime of a second round that was held out: 48 of 57 were right when it was first scored."""

import numpy as np
import onnxruntime as ort
from harness import means
from onnx import TensorProto, helper

ort.set_default_logger_severity(4)


def session(node, inputs, output):
    graph = helper.make_graph([node], "g", inputs, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


@means("ShapeMismatchError")
def product_with_bias_of_unlike():
    s = session(helper.make_node("Gemm", ["a", "b"], ["y"]), [value("a", ["N", "K"]), value("b", ["L", "M"])], value("y", ["N", "M"]))
    s.run(None, {"a": np.zeros((2, 3), "float32"), "b": np.zeros((4, 5), "float32")})


@means("ShapeMismatchError", "DataContractError")
def where_of_unlike():
    s = session(
        helper.make_node("Where", ["c", "a", "b"], ["y"]),
        [value("c", ["N"], TensorProto.BOOL), value("a", ["M"]), value("b", ["K"])],
        value("y", ["P"]),
    )
    s.run(None, {"c": np.ones(2, bool), "a": np.zeros(3, "float32"), "b": np.zeros(4, "float32")})


@means("DataContractError")
def scatter_past_the_end():
    s = session(
        helper.make_node("ScatterElements", ["x", "i", "u"], ["y"]),
        [value("x", ["N"]), value("i", ["M"], TensorProto.INT64), value("u", ["M"])],
        value("y", ["N"]),
    )
    s.run(None, {"x": np.zeros(3, "float32"), "i": np.array([7]), "u": np.ones(1, "float32")})


@means("DataContractError")
def half_for_single():
    s = session(helper.make_node("Identity", ["x"], ["y"]), [value("x", ["N"])], value("y", ["N"]))
    s.run(None, {"x": np.zeros(3, "float16")})


@means("GraphError")
def attribute_that_is_none():
    session(helper.make_node("Relu", ["x"], ["y"], no_such=1), [value("x", [1])], value("y", [1]))


@means("GraphError")
def output_that_nothing_makes():
    session(helper.make_node("Relu", ["x"], ["y"]), [value("x", [1])], value("z", [1]))
