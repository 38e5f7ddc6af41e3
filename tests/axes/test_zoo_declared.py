"""Right programs of the zoo whose models are told what the axes of their inputs are: not a word about any."""

from pathlib import Path

import pytest

from tensan.core.findings import Level

ZOO = Path(__file__).parents[2] / "zoo"
#: What each model's inputs are, `-` for one of which nothing is declared. Inner modules are told as well.
DECLARED = {
    "accumulated_language_model": {"CharacterModel": ["B T"]},
    "accumulated_segmentation": {"Segmenter": ["B C H W"]},
    "amp_language_model": {"LanguageModel": ["B T"]},
    "attention_pooling": {"Classifier": ["B T", "B"], "AttentionPooling": ["B T D", "B T"]},
    "causal_transformer": {"GPT": ["B T", "B T"], "Block": ["B T D"]},
    "checkpointed_language_model": {"LanguageModel": ["B T"], "Block": ["B T D"]},
    "cnn_classifier": {"ConvNet": ["B C H W"]},
    "diffusion_tiny": {"Denoiser": ["B D", "B"]},
    "distributed_sampler": {"Classifier": ["B D"]},
    "graph_network": {"GCN": ["N D", "N N"], "GraphConvolution": ["N D", "N N"]},
    "half_accumulation": {"Tagger": ["B T"]},
    "masked_encoder": {"Encoder": ["B T"]},
    "packed_lstm": {"LSTMClassifier": ["B T", "B"]},
    "resnet_small": {"ResNet": ["B C H W"], "BasicBlock": ["B C H W"]},
    "segmentation_unet": {"UNet": ["B C H W"]},
    "seq2seq_stream": {"Sorter": ["B S", "B T"]},
    "streamed_text": {"CharModel": ["B T"]},
    "translation_transformer": {
        "Translator": ["B S", "B T"],
        "Layer": ["B T D", "-"],
        "MultiHeadAttention": ["B T D", "-", "-"],
    },
    "two_towers": {"TwoTowers": ["-", "B T"], "TextTower": ["B T"]},
    "vae": {"VAE": ["B H W"]},
    "warmup_sequential": {"Forecaster": ["B T D"]},
    "word2vec": {"SkipGram": ["B", "B", "B K"]},
    "word_language_model": {"WordModel": ["T B"], "CausalAttention": ["T B D"]},
}
#: Declares before each forward of a model of that name; it looks at the number of axes alone, which a mistake here would not survive.
PRELUDE = """
import torch
import tensan

DECLARED = {declared!r}

def declare(module, inputs):
    for value, names in zip(inputs, DECLARED.get(type(module).__name__, ())):
        if names != "-":
            tensan.axes(value, names)

torch.nn.modules.module.register_module_forward_pre_hook(declare)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", DECLARED)
def test_silent(name, stem):
    outcome = stem.run(ZOO / f"{name}.py", prelude=PRELUDE.format(declared=DECLARED[name]), flags={"overhead": 100.0}, limit=240.0)
    assert outcome.status == 0, outcome.stderr
    assert outcome.report is not None
    assert not [found for found in outcome.report.findings if found.code == "SHP105"], outcome.printed
    assert not outcome.report.at_least(Level.WARNING), outcome.printed
    assert "SHP105" in outcome.report.run.rules_armed
