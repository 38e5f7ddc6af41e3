"""What leaves by OTLP, as a receiver on loopback reads it with opentelemetry-proto."""

import os
import signal
import ssl
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError
from itertools import pairwise
from pathlib import Path

import grpc
import pytest
import trustme
from msgspec import to_builtins
from otlp_receiver import attributes, over_grpc, over_http

from tensan.core.curves import FIGURES, LOSS, Figures, Series
from tensan.core.errors import UsageError
from tensan.core.findings import Told
from tensan.launch.session import Session
from tensan.sinks.opentelemetry import Errand, Outcome, names
from tensan.sinks.opentelemetry.context import TraceContext
from tensan.sinks.opentelemetry.telemetry import Telemetry
from tensan.testing import compare

PROGRAM = Path(__file__).parent / "programs" / "train.py"
ABOVE = "00-" + "ab" * 16 + "-" + "cd" * 8 + "-01"
EVALUATES = """
import time, torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(64, 4), torch.randn(64, 1)


@torch.no_grad()
def evaluate():
    time.sleep(0.02)
    model.eval()
    error = ((model(x[32:]) - y[32:]) ** 2).mean().item()
    model.train()
    return error


for _epoch in range(3):
    for rows in torch.randperm(32).split(8):
        optimizer.zero_grad()
        ((model(x[rows]) - y[rows]) ** 2).mean().backward()
        optimizer.step()
    evaluate()
"""
PROTOCOLS = {"grpc": over_grpc, "http/protobuf": over_http}


def to(received, protocol, **more):
    return {"OTEL_EXPORTER_OTLP_ENDPOINT": received.endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol, **more}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_run_is_told_whole(protocol, run, lost):
    with PROTOCOLS[protocol]() as received:
        given = to(received, protocol, TRACEPARENT=ABOVE, BAGGAGE="team=vision,run=7", OTEL_SERVICE_NAME="mine", PAUSE=0.05)
        outcome = run("train.py", environment=given | {"OTEL_EXPORTER_OTLP_HEADERS": "x-key=secret"}, track=["opentelemetry"])
    assert not lost(outcome)
    (whole,) = [span for span in received.spans() if span.name == names.RUN]
    parts = [span for span in received.spans() if span.name == names.STEPS]
    assert (whole.trace_id.hex(), whole.parent_span_id.hex()) == ("ab" * 16, "cd" * 8)
    told = attributes(whole)
    assert (told["baggage.team"], told["baggage.run"], told[names.ERRORS], told[names.STATUS]) == ("vision", "7", 1, "completed")
    assert parts
    for before, after in pairwise(parts):
        assert attributes(before)[names.LAST_STEP] == attributes(after)[names.FIRST_STEP]
    for part in parts:
        assert part.parent_span_id == whole.span_id
        assert whole.start_time_unix_nano <= part.start_time_unix_nano <= part.end_time_unix_nano <= whole.end_time_unix_nano
    (log,) = received.logs()
    assert (log.trace_id, log.span_id, log.event_name, log.severity_text) == (whole.trace_id, whole.span_id, names.FINDING, "ERROR")
    assert log.body.string_value.startswith("loss compares f32[16, 1] with f32[16]")
    assert {key: attributes(log)[key] for key in (names.CODE, names.LINE)} == {names.CODE: "SHP101", names.LINE: 20}
    metrics = received.metrics()
    assert [point.as_int for point in metrics["tensan.steps"]] == [30]
    assert [(attributes(point), point.as_int) for point in metrics["tensan.findings"]] == [
        ({names.CODE: "SHP101", names.LEVEL: "error"}, 1)
    ]
    assert {"tensan.loss", "tensan.gradient.norm", "tensan.learning_rate", "tensan.overhead"} <= metrics.keys()
    assert {resource["service.name"] for resource in received.resources()} == {"mine"}
    assert all(headers.get("x-key") == "secret" for headers in received.headers)


def test_evaluations_are_spans_of_their_own(run, lost, tmp_path):
    (tmp_path / "evaluates.py").write_text(EVALUATES)
    with over_http() as received:
        outcome = run(tmp_path / "evaluates.py", environment=to(received, "http/protobuf"), track=["opentelemetry"])
    assert outcome.status == 0, outcome.stderr
    assert not lost(outcome)
    (whole,) = [span for span in received.spans() if span.name == names.RUN]
    found = sorted((span for span in received.spans() if span.name == names.EVALUATION), key=lambda span: span.start_time_unix_nano)
    told = [attributes(span) for span in found]
    assert [(each[names.STEP], each[names.LINE]) for each in told] == [(4, 14), (8, 14), (12, 14)]
    assert all(each[names.PATH].endswith("evaluates.py") for each in told)
    for span in found:
        assert span.parent_span_id == whole.span_id
        assert span.end_time_unix_nano - span.start_time_unix_nano >= 20_000_000  # it sleeps so long
        assert whole.start_time_unix_nano <= span.start_time_unix_nano
        assert span.end_time_unix_nano <= whole.end_time_unix_nano


def test_what_came_of_trying_a_fix_is_told(run, lost):
    with over_http() as received:
        outcome = run("train.py", environment=to(received, "http/protobuf"), track=["opentelemetry"], prove=True)
    assert not lost(outcome)
    (told,) = outcome.report.findings
    assert told.tried
    finding, fix = received.logs()
    assert (finding.event_name, fix.event_name) == (names.FINDING, names.FIX_TRIED)
    assert fix.body.string_value == told.tried
    assert attributes(fix)[names.FINGERPRINT] == attributes(finding)[names.FINGERPRINT] == told.fingerprint


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_both_sides_show_their_certificates(protocol, run, lost, tmp_path):
    authority = trustme.CA()
    server, client = authority.issue_cert("localhost"), authority.issue_cert("trainer@example.org")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.configure_cert(tls)
    authority.configure_trust(tls)
    tls.verify_mode = ssl.CERT_REQUIRED
    key, certificate, trusted = server.private_key_pem.bytes(), server.cert_chain_pems[0].bytes(), authority.cert_pem.bytes()
    secure = grpc.ssl_server_credentials([(key, certificate)], trusted, require_client_auth=True)
    variables = {}
    for name, blob in (
        ("CERTIFICATE", authority.cert_pem),
        ("CLIENT_CERTIFICATE", client.cert_chain_pems[0]),
        ("CLIENT_KEY", client.private_key_pem),
    ):
        blob.write_to_path(str(tmp_path / name))
        variables[f"OTEL_EXPORTER_OTLP_{name}"] = tmp_path / name
    with over_grpc(credentials=secure) if protocol == "grpc" else over_http(tls=tls) as received:
        known = run("train.py", environment=to(received, protocol, **variables), track=["opentelemetry"])
        assert not lost(known)
        assert received.spans()
        received.requests["traces"].clear()
        del variables["OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"], variables["OTEL_EXPORTER_OTLP_CLIENT_KEY"]
        unknown = run("train.py", environment=to(received, protocol, **variables), track=["opentelemetry"])
        assert lost(unknown)
        assert not received.spans()


def test_an_exception_is_told(run, lost):
    with over_http() as received:
        outcome = run("train.py", environment=to(received, "http/protobuf", RAISES=1), track=["opentelemetry"])
    assert outcome.status == 1
    assert not lost(outcome)
    (whole,) = [span for span in received.spans() if span.name == names.RUN]
    (event,) = whole.events
    told = attributes(event)
    assert (event.name, told[names.EXCEPTION_TYPE], told[names.EXCEPTION_MESSAGE]) == ("exception", "ValueError", "on purpose")
    assert told[names.EXCEPTION_STACKTRACE].splitlines()[-2:] == ['    raise ValueError("on purpose")', "ValueError: on purpose"]
    assert attributes(whole)[names.STATUS] == "raised"
    assert whole.status.code == whole.status.STATUS_CODE_ERROR


def test_children_of_the_script_belong_to_its_trace(run, tmp_path):
    (tmp_path / "parent.py").write_text(
        "import os, subprocess\n"
        "print(subprocess.run(['printenv', 'TRACEPARENT'], capture_output=True, text=True).stdout, end='')\n"
        "print('TRACEPARENT' in os.environ)\n"
        "print(subprocess.run(['printenv', 'BAGGAGE'], capture_output=True, text=True).stdout, end='')\n"
    )
    with over_http() as received:
        given = to(received, "http/protobuf", BAGGAGE="team=vision")
        outcome = run(tmp_path / "parent.py", environment=given, track=["opentelemetry"])
    (whole,) = received.spans()
    assert outcome.stdout == f"00-{whole.trace_id.hex()}-{whole.span_id.hex()}-01\nFalse\nteam=vision\n"


def test_without_its_packages_nothing_is_begun(monkeypatch, tmp_path):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.distribution", missing)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"opentelemetry needs opentelemetry-sdk: pip install 'tensan\[opentelemetry\]'"):
        Session.start(flags={"track": ("opentelemetry",)})
    assert not list(tmp_path.iterdir())


def test_the_watched_process_exports_nothing_itself(run, tmp_path):
    (tmp_path / "look.py").write_text(
        "import os, sys, threading\n"
        "print(threading.active_count(), [name for name in sys.modules if name.startswith(('opentelemetry', 'grpc'))])\n"
        "try:\n"
        "    os.waitpid(-1, os.WNOHANG)\n"
        "except ChildProcessError:\n"
        "    print('no child')\n"
    )
    with over_http() as received:
        outcome = run(tmp_path / "look.py", environment=to(received, "http/protobuf"), track=["opentelemetry"])
    assert outcome.stdout == "1 []\nno child\n", outcome.stderr
    assert received.spans()


def test_programs_that_fork_are_untouched(run, lost):
    program = Path(__file__).parents[2] / "zoo" / "data_workers.py"
    with over_grpc() as received:
        bare, watched = (run(program, environment=to(received, "grpc"), track=["opentelemetry"], watched=one) for one in (False, True))
    assert not compare(bare, watched)
    assert not lost(watched)
    assert received.metrics()["tensan.steps"][0].as_int == watched.report.run.steps > 0


def test_a_killed_run_is_told_as_cut_short(tmp_path):
    with over_http() as received:
        environment = os.environ | to(received, "http/protobuf", STEPS="100000", PAUSE="0.01")
        words = [sys.executable, "-m", "tensan", "run", "--track", "opentelemetry", str(PROGRAM)]
        process = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: any(b"figures" in path.read_bytes() for path in tmp_path.glob(".tensan/runs/*.jsonl")))
        process.send_signal(signal.SIGKILL)
        process.wait()
        until(lambda: any(span.name == names.RUN for span in received.spans()))
    (whole,) = [span for span in received.spans() if span.name == names.RUN]
    assert attributes(whole)[names.STATUS] == "cut short"


@pytest.mark.parametrize("text", ["", "nonsense", ABOVE[:-1], ABOVE.replace("00-", "ff-"), "00-" + "0" * 32 + "-" + "1" * 16 + "-01"])
def test_no_trace_of_nonsense(text):
    context = TraceContext.of_run({"TRACEPARENT": text})
    assert TraceContext.parse(str(context)) == context
    assert context.trace != "ab" * 16


@pytest.fixture
def telemetry(monkeypatch):
    """What the relay makes of records, in this process."""

    def make(received, outcome, **more):
        for name, value in to(received, "http/protobuf", **more).items():
            monkeypatch.setenv(name, value)
        return Telemetry(Errand(run_file="", run=TraceContext.of_run({}), started=time.time_ns(), process=1), outcome)

    return make


def test_values_of_attributes_are_bounded(telemetry):
    outcome = Outcome()
    with over_http() as received:
        telemetry = telemetry(received, outcome)
        curves = [Series(kind=LOSS, name=f"loss {number}", points=[(0, "nan" if number == 3 else 1.0)]) for number in range(100)]
        telemetry.take(FIGURES, to_builtins(Figures(steps=1, series=curves)))
        telemetry.end(None)
        telemetry.shutdown()
    points = received.metrics()["tensan.loss"]
    assert len(points) == names.MOST_VALUES + 1
    assert {attributes(point)[names.CURVE] for point in points} >= {"loss 0", names.OTHER}
    (nonfinite,) = received.metrics()["tensan.nonfinite"]
    assert (attributes(nonfinite), nonfinite.as_int) == ({names.FIGURE: "tensan.loss"}, 1)
    assert outcome.made == outcome.arrived


@pytest.mark.parametrize("signal", ["traces", "metrics", "logs"])
def test_each_signal_can_be_switched_off(signal, telemetry):
    outcome = Outcome()
    with over_http() as received:
        telemetry = telemetry(received, outcome, **{f"OTEL_{signal.upper()}_EXPORTER": "none"})
        finding = Told(code="X1", name="x", category="correctness", level="error", proof="law", message="x")
        telemetry.take("finding", to_builtins(finding))
        telemetry.take(FIGURES, to_builtins(Figures(steps=1)))
        telemetry.end(None)
        telemetry.shutdown()
    assert {name for name, requests in received.requests.items() if requests} == {"traces", "metrics", "logs"} - {signal}
    assert outcome.made == outcome.arrived


def until(condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    pytest.fail("it did not come about within a minute")
