"""What a person asks of a recorded step: the words, the lines that are meant, the answers, and what stands where there is none."""

import io
import json

import pytest
from core.making import EveryStep, location, loss, step, watching

from tensan.core.asks import Answer
from tensan.core.errors import SettingsError
from tensan.core.events.recorded import StepRecorded, Tokens
from tensan.core.events.things import Operation, Parameter, Spread, Value
from tensan.core.events.training import Loss
from tensan.core.questions import MOST_TOLD, Questions, parsed
from tensan.core.report import Reply, Report, Run
from tensan.sinks.agent import AgentSink
from tensan.sinks.json_document import JsonSink
from tensan.sinks.terminal import TerminalSink

DATA = Value(shape=(8, 3), dtype="float32", subject="batch")
WEIGHT = Value(shape=(3, 1), dtype="float32", subject="parameter:1", requires_grad=True)
TARGET = Value(shape=(8,), dtype="float32")


def made_by(index, *shape):
    return Value(shape=shape, dtype="float32", producer=index, requires_grad=True)


def recorded_loss(number=0):
    """A prediction on line 4, compared with its targets on line 5."""
    operations = [
        Operation(index=0, name="matmul", inputs=(DATA, WEIGHT), outputs=(made_by(0, 8, 1),), site=location(4, "/nowhere/sub/train.py")),
        Operation(
            index=1, name="sub", inputs=(made_by(0, 8, 1), TARGET), outputs=(made_by(1, 8, 8),), site=location(5, "/nowhere/sub/train.py")
        ),
    ]
    return Loss(
        step=number,
        value=made_by(1, 8, 8),
        operations=tuple(operations),
        leaves=(Parameter(id="parameter:1", name="out.weight", shape=(3, 1), dtype="float32", module="Linear(3, 1)"),),
        spreads={1: (None, Spread(minimum=-1.0, maximum=2.5))},
    )


def asked(*texts, events, answers=()):
    """Puts questions to a watch whose adapter gives the answers, and returns what came of them and what the adapter was asked."""
    watch, given, heard = watching(EveryStep, questions=Questions(texts)), list(answers), []

    def answer(ask):
        heard.append(ask)
        value, why_not, details = given.pop(0)
        return Answer(ask=ask, value=value, why_not=why_not, details=details)

    watch.answerers.append(answer)
    for event in events:
        watch.emit(event)
    return watch.snapshot().run, heard


@pytest.mark.parametrize(
    "text", ["", "why", "made", "made train.py", "permute train.py:0", "replace parameter", "noise sample", "made FILE:LINE"]
)
def test_what_cannot_be_asked_is_said_with_what_can(text):
    with pytest.raises(SettingsError, match=r"expected `.*got"):
        parsed(text)


def test_the_error_names_what_fits_the_word():
    with pytest.raises(SettingsError) as raised:
        parsed("noise past")
    assert str(raised.value) == "--ask: noise: expected `noise future` or `noise padding`, got 'noise past'"


def test_made_follows_each_operand_back():
    run, heard = asked("made train.py:5", events=[recorded_loss(3)])
    (reply,) = run.answers
    assert (reply.step, reply.why_not, heard) == (3, "", [])
    lines = reply.text.splitlines()
    assert lines[0] == "`sub` made f32[8, 8] of"
    assert "made by Linear(3, 1) at /nowhere/sub/train.py:4" in lines[1]
    assert "from the parameters `out.weight`; from f32[8, 3], delivered by a loader" in lines[1]
    assert lines[2] == "  f32[8] in [-1, 2.5]: there before the recorded step"


def test_a_line_of_many_operations_is_cut():
    many = [Operation(index=n, name="neg", inputs=(TARGET,), outputs=(made_by(n, 8),), site=location(4)) for n in range(40)]
    run, _ = asked("made train.py:4", events=[Loss(value=made_by(39, 8), operations=tuple(many))])
    assert run.answers[0].text.splitlines()[-1] == f"and {40 - MOST_TOLD} more operations on this line"


@pytest.mark.parametrize("place", ["train.py:5", "sub/train.py:5", "/nowhere/sub/train.py:5", "./sub/../sub/train.py:5"])
def test_a_file_is_named_by_as_much_of_its_path_as_tells_it(place):
    run, _ = asked(f"made {place}", events=[recorded_loss()])
    assert run.answers[0].text


@pytest.mark.parametrize(("place", "says"), [("train.py:9", "in that file they ran on 4, 5"), ("in.py:5", "they ran in ")])
def test_a_line_that_did_not_run_is_told_with_those_that_did(place, says):
    run, _ = asked(f"made {place}", events=[recorded_loss()])
    assert says in run.answers[0].why_not
    assert run.answers[0].text == ""


def test_permute_asks_for_what_is_given_without_gradient():
    run, (ask,) = asked("permute train.py:5", events=[recorded_loss()], answers=[(7e-8, "", {})])
    assert (ask.intervention.subject, ask.insists) == ("operation:1:1", True)
    assert run.answers[0].value == 7e-8
    assert (
        run.answers[0].text
        == "`sub`: permuting f32[8] along the batch changes the gradient by 7e-08 of its norm: samples are not matched here"
    )


def test_permute_on_a_matched_line_says_so():
    run, _ = asked("permute train.py:5", events=[recorded_loss()], answers=[(0.7, "", {})])
    assert run.answers[0].text.endswith("it matters which sample meets which")


def test_what_one_step_cannot_answer_a_later_one_may():
    events = [recorded_loss(0), recorded_loss(1), recorded_loss(2)]
    run, heard = asked("permute train.py:5", events=events, answers=[(None, "compiled model", {}), (0.7, "", {})])
    assert (run.answers[0].step, run.answers[0].value, len(heard)) == (1, 0.7, 2)
    assert run.not_checked == []  # the answer itself says it


def recorded(**fields):
    return StepRecorded(step=1, loss=recorded_loss(1), batch=8, **fields)


@pytest.mark.parametrize(
    ("question", "fields", "answer", "says"),
    [
        ("replace sample", {}, (0.0, "", {}), "replacing sample 1 by another moves no output of another sample"),
        (
            "replace sample",
            {},
            (0.25, "", {"operation": 1, "others": 7}),
            "moves the output of 7 other samples by 0.25 of how much outputs differ; it begins with `sub` at /nowhere/sub/train.py:5",
        ),
        ("noise future", {"tokens": (Tokens(operation=0, length=9, batch=8, shift=1),)}, (0.0, "", {"since": 4}), "before it by nothing"),
        (
            "replace column",
            {},
            (1.0, "", {"tables": [{"shape": (16, 4), "still": [2], "alike": [3]}]}),
            "2 move the output when their values are exchanged among the samples; moving nothing: 2; with one value throughout: 3",
        ),
        (
            "noise padding",
            {"tokens": (Tokens(operation=0, length=9, batch=8, padding=12),)},
            (0.1, "", {}),
            "12 padded places hold moves the loss by 0.1",
        ),
    ],
)
def test_questions_about_the_whole_step(question, fields, answer, says):
    run, _ = asked(question, events=[recorded(**fields)], answers=[answer])
    assert says in run.answers[0].text


@pytest.mark.parametrize("what", ["future", "padding"])
def test_a_model_without_sequences_is_said_to_have_none(what):
    run, heard = asked(f"noise {what}", events=[recorded()])
    assert "looks up no sequence" in run.answers[0].why_not
    assert heard == []


def test_a_run_without_a_recorded_step_answers_nothing():
    run, _ = asked("replace sample", "made train.py:5", events=[step()])
    assert [reply.why_not for reply in run.answers] == ["no step was recorded"] * 2


def test_a_question_that_fails_is_switched_off_and_the_rules_go_on():
    class Broken(Questions):
        def on_loss(self, loss):
            raise KeyError("oh")

    watch = watching(EveryStep, questions=Broken(["made train.py:5"]))
    watch.emit(loss())
    watch.emit(step())
    report = watch.snapshot()
    assert len(report.findings) == 1
    assert "what --ask asked failed and was switched off: KeyError" in report.run.notes[0]


def test_answers_stand_in_the_report():
    answers = [Reply(question="made \x1b[31m", text="one\ntwo\x07"), Reply(question="replace sample", why_not="no step was recorded")]
    report, shown = Report(run=Run(answers=answers)), {}
    for sink in (TerminalSink(), AgentSink(), JsonSink()):
        stream = io.StringIO()
        sink.write(report, stream)
        shown[sink.format] = stream.getvalue()
    assert "asked: made \\x1b[31m\n   = answer: one\n" in shown["full"]
    assert "   = no answer: no step was recorded" in shown["full"]
    assert "## asked: made \\x1b[31m\none\ntwo\\x07\n" in shown["agent"]
    assert "No answer: no step was recorded." in shown["agent"]
    assert [answer["question"] for answer in json.loads(shown["json"])["run"]["answers"]] == ["made \x1b[31m", "replace sample"]
