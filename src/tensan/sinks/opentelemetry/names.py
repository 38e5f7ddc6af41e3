"""All names under which telemetry leaves: spans, metrics, events and attributes. Where OpenTelemetry has a name, it is used."""

from __future__ import annotations

from typing import Final

SCOPE: Final = "tensan"
SERVICE: Final = "training"

# Spans.
RUN: Final = "tensan.run"
STEPS: Final = "tensan.steps"
EVALUATION: Final = "tensan.evaluation"

# The log records of a finding and of what trying its fix has shown, and what stands in for exceptions in OpenTelemetry's own words.
FINDING: Final = "tensan.finding"
FIX_TRIED: Final = "tensan.fix_tried"
EXCEPTION: Final = "exception"
EXCEPTION_TYPE: Final = "exception.type"
EXCEPTION_MESSAGE: Final = "exception.message"
EXCEPTION_STACKTRACE: Final = "exception.stacktrace"

# Metrics, with the unit of each.
NUM_STEPS: Final = ("tensan.steps", "{step}")
NUM_FINDINGS: Final = ("tensan.findings", "{finding}")
LOSS: Final = ("tensan.loss", "1")
GRADIENT_NORM: Final = ("tensan.gradient.norm", "1")
LEARNING_RATE: Final = ("tensan.learning_rate", "1")
UPDATE_RATIO: Final = ("tensan.update.ratio", "1")
OVERHEAD: Final = ("tensan.overhead", "%")
NUM_NONFINITE: Final = ("tensan.nonfinite", "{value}")

# Attributes of the resource.
RANK: Final = "tensan.rank"
PROCESS: Final = "process.pid"
VERSION: Final = "tensan.version"

# Attributes of spans.
SCRIPT: Final = "tensan.script"
STATUS: Final = "tensan.status"
EXIT_STATUS: Final = "process.exit.code"
ERRORS: Final = "tensan.errors"
WARNINGS: Final = "tensan.warnings"
FIRST_STEP: Final = "tensan.step.first"
LAST_STEP: Final = "tensan.step.last"
#: Before each member of the baggage that came in.
BAGGAGE: Final = "baggage."

# Attributes of findings and of figures.
CODE: Final = "tensan.rule.code"
RULE: Final = "tensan.rule.name"
LEVEL: Final = "tensan.level"
PROOF: Final = "tensan.proof"
STEP: Final = "tensan.step"
FINGERPRINT: Final = "tensan.fingerprint"
HELP: Final = "tensan.help"
PATH: Final = "code.file.path"
LINE: Final = "code.line.number"
FUNCTION: Final = "code.function.name"
CURVE: Final = "tensan.curve"
FIGURE: Final = "tensan.figure"

#: Stands for all values of an attribute of a metric beyond the first `MOST_VALUES`.
OTHER: Final = "other"
MOST_VALUES: Final = 32
