"""What Keras's exceptions mean: nearly all are ValueError, in Keras's own words, whichever backend runs it."""

from tensan.contracts.exceptions.law import Law
from tensan.core.faults import (
    DataContractError,
    DisconnectedGradient,
    GraphError,
    Phase,
    ShapeMismatchError,
    TracingError,
    UnsupportedControlFlow,
)

LAWS = (
    Law(
        "TypeError ValueError",
        r"`?tf\.Tensor`? as a Python `?bool`?|A symbolic KerasTensor cannot be (used|interpreted) as a (boolean|bool)|KerasTensor.*boolean",
        UnsupportedControlFlow,
    ),
    Law(
        "TypeError ValueError",
        r"symbolic KerasTensor|KerasTensor cannot be used|KerasTensor is symbolic|KerasTensor",
        TracingError,
        "wrap the operation in a layer, or use `keras.ops`",
        phase=Phase.BUILD,
    ),
    Law(
        "ValueError",
        r"No gradients provided for any variable|gradients? .*(None|missing) for|no trainable (variables|weights)",
        DisconnectedGradient,
    ),
    Law(
        "ValueError",
        r"is incompatible with the layer|weight shape .* is not compatible|weight list of length|inputs? with (matching|the same) shapes?|cardinality is ambiguous|cannot be broadcast|incompatible shapes|must have the same shape|shape mismatch|expected shape|computed output size would be (zero or )?negative|same rank|\bshapes? .*(must|should|match|expected|received)|expects? .*(shape|rank)|Received: .*shape",
        ShapeMismatchError,
    ),
    Law(
        "ValueError",
        r"invalid dtype|unrecognized data type|contains? (NaN|None|invalid)|must be (one-hot|integer)|dtype must",
        DataContractError,
    ),
    Law(
        "ValueError OSError FileNotFoundError",
        r"File not found|Unable to (open|synchronously open) file|file format|filepath|weights? file",
        DataContractError,
        "check the path, the ending (.keras, .weights.h5) and that the file is whole",
        phase=Phase.BUILD,
    ),
    Law(
        "ValueError RuntimeError AttributeError",
        r"must call `?compile|has no defined (in|out)puts|isn't built|not built|has not been built|never been called|not yet been (built|called)|must be built",
        GraphError,
        "call the model on a batch, or `build` it, first",
    ),
    Law(
        "TypeError ValueError",
        r"Could not (locate|interpret|deserialize|find) .*|unknown (layer|loss|optimizer|metric|activation|initializer)|register_keras_serializable|custom_objects",
        GraphError,
        "give the class itself, or register it with `keras.saving.register_keras_serializable`",
    ),
)
