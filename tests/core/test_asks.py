"""Questions and answers, through a watch and an adapter that plays its part."""

from core.making import Asking, loss, watching

from tensan.core.adapter import Adapter
from tensan.core.asks import Answer, Ask, Change, Intervention, Measure
from tensan.core.events.run import RunEnd
from tensan.core.events.things import Value
from tensan.core.events.training import Loss


class Tiny:
    """An adapter of a framework with one number for a state."""

    module = "tinyframe"
    tested = ">=1"

    def __init__(self, *answers):
        self.answers, self.asked, self.watch, self.state = list(answers), [], None, 0

    def install(self, watch):
        self.watch = watch
        watch.answerers.append(self.answer)

    def train(self):
        self.watch.emit(Loss(step=self.state, value=Value(shape=(), dtype="float32")))
        self.state += 1

    def answer(self, ask):
        self.asked.append(ask)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Answer(ask=ask, value=answer, why_not="" if answer is not None else "compiled model")

    def capture(self):
        return self.state

    def restore(self, state):
        self.state = state

    def finish(self, *, status):
        self.watch.emit(RunEnd(step=self.state, status=status))


def asked(*adapters):
    watch = watching(Asking)
    for adapter in adapters:
        adapter.install(watch)
    watch.emit(loss(3))
    return watch.snapshot()


def test_it_is_an_adapter():
    assert isinstance(Tiny(), Adapter)


def test_an_answer_comes_back_to_the_rule_that_asked():
    adapter = Tiny(2e-8)
    (finding,) = asked(adapter).findings
    assert finding.message == "the answer is 2e-08"
    assert finding.proof == "intervention"
    assert finding.step == 3
    (question,) = adapter.asked
    assert question.intervention == Intervention(change=Change.PERMUTE, subject="target")
    assert question.measure is Measure.GRADIENT


def test_a_whole_life():
    adapter, watch = Tiny(0.5, None), watching(Asking)
    adapter.install(watch)
    state = adapter.capture()
    adapter.train()
    adapter.restore(state)
    adapter.train()
    adapter.finish(status="completed")
    assert adapter.state == 1
    assert watch.snapshot().findings[0].count == 2


def test_without_a_conclusion_the_summary_says_why():
    report = asked(Tiny(None))
    assert report.findings[0].proof == "hint"
    assert report.run.not_checked == ["replay (compiled model)"]
    assert asked().run.not_checked == ["replay (no adapter can answer it)"]


def test_the_first_that_concludes_counts():
    first, second, third = Tiny(None), Tiny(0.25), Tiny(0.75)
    report = asked(first, second, third)
    assert report.findings[0].message == "the answer is 0.25"
    assert report.run.not_checked == []
    assert third.asked == []


def test_a_failing_replay_is_not_the_rules_fault():
    broken, sound = Tiny(RuntimeError("no tape")), Tiny(0.25)
    watch = watching(Asking)
    broken.install(watch)
    sound.install(watch)
    watch.emit(loss())
    report = watch.snapshot()
    assert [finding.message for finding in report.findings] == ["the answer is 0.25"]
    assert len(report.run.notes) == 1
    assert "no tape" in report.run.notes[0]
    assert watch.answerers == [sound.answer]


def test_questions_compare():
    ask = Ask(intervention=Intervention(change=Change.NOISE, subject="input"), measure=Measure.OUTPUT)
    assert ask == Ask(intervention=Intervention(change=Change.NOISE, subject="input"), measure=Measure.OUTPUT)
