"""Right programs in the style of examples and tutorials: not a word about any, and every stable rule could have spoken on some."""

from collections import Counter
from pathlib import Path

import pytest

from tensan.core import plugins
from tensan.core.findings import Category, Level

ZOO = sorted((Path(__file__).parents[2] / "zoo").glob("*.py"))
#: The pedantic take no part unless they are selected: they are matters of taste, on which right programs differ.
STABLE = [
    rule.code
    for rule in plugins.all_rules()
    if rule.__module__.startswith("tensan.rules.") and not rule.preview and rule.category is not Category.PEDANTIC
]
#: Programs of the zoo on which a stable rule must have been armed, at least.
FEWEST_ARMED = 3


@pytest.mark.parametrize("program", ZOO, ids=lambda program: program.stem)
def test_silent(program, watched):
    outcome = watched(program)
    assert not outcome.timed_out
    assert outcome.status == 0, outcome.stderr
    assert outcome.report is not None, outcome.stderr
    found = outcome.report.at_least(Level.WARNING)
    assert not found, outcome.printed
    assert not outcome.report.run.notes


@pytest.mark.slow
def test_every_stable_rule_is_armed(watched):
    reports = [watched(program).report for program in ZOO]
    armed = Counter(code for report in reports if report is not None for code in report.run.rules_armed)
    short = {code: armed[code] for code in STABLE if armed[code] < FEWEST_ARMED}
    assert not short, f"armed on fewer than {FEWEST_ARMED} programs of the zoo: {short}"


#: What the zoo was promised to hold, and the program that is one.
STYLES = {
    "CNN": "cnn_classifier",
    "ResNet": "resnet_small",
    "causal transformer": "causal_transformer",
    "GAN": "gan",
    "VAE": "vae",
    "DQN": "dqn",
    "contrastive with stop-gradient": "contrastive_stopgrad",
    "EMA teacher": "ema_teacher",
    "LoRA": "lora_finetune",
    "frozen backbone": "frozen_backbone",
    "accumulation with bf16": "accumulation_bf16",
    "unused heads": "unused_heads",
    "packed LSTM": "packed_lstm",
    "L-BFGS": "lbfgs_fit",
    "checkpointing": "gradient_checkpointing",
    "compiled model": "compiled_model",
    "weight tying": "weight_tying",
    "warm restarts": "warm_restarts",
    "custom loop with closures": "custom_loop_closures",
    "two optimizers": "two_optimizers",
}


@pytest.mark.parametrize("style", STYLES)
def test_each_style_trains_under_the_watch(style, watched):
    outcome = watched(next(program for program in ZOO if program.stem == STYLES[style]))
    assert outcome.report is not None
    assert outcome.report.run.steps > 0
    assert len(outcome.report.run.rules_armed) > 5
