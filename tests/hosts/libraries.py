"""What the programs of each library import, and under which environment they run."""

from importlib.util import find_spec

import pytest

#: What the programs of a library import sooner or later.
IMPORTED = {
    "lightning": ("lightning.pytorch", "lightning.pytorch.loggers"),
    "transformers": (
        "transformers.trainer",
        "transformers.trainer_seq2seq",
        "transformers.data.data_collator",
        "transformers.models.bert.modeling_bert",
        "transformers.models.gpt2.modeling_gpt2",
        "transformers.models.t5.modeling_t5",
    ),
    "accelerate": ("accelerate", "accelerate.tracking"),
}
#: Nothing is fetched: models are made from configs, data in the program.
OFFLINE = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


def need(library):
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed (`pip install tensan[dev]` brings it)")
