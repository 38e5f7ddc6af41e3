"""Exceptions of ONNX Runtime that were written after the laws had been mended for the second time and committed."""

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
def normalised_by_other_channels():
    s = session(
        helper.make_node("BatchNormalization", ["x", "s", "b", "m", "v"], ["y"]),
        [value("x", ["N", "C"]), *(value(name, ["K"]) for name in "sbmv")],
        value("y", ["N", "C"]),
    )
    s.run(None, {"x": np.zeros((2, 3), "float32"), **{name: np.ones(4, "float32") for name in "sbmv"}})


@means("DataContractError")
def integers_for_floats():
    s = session(helper.make_node("Relu", ["x"], ["y"]), [value("x", ["N"])], value("y", ["N"]))
    s.run(None, {"x": np.zeros(3, "int64")})


@means("GraphError")
def too_many_inputs_of_a_node():
    session(helper.make_node("Relu", ["x", "x"], ["y"]), [value("x", [1])], value("y", [1]))
