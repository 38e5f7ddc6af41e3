"""The live page: on this machine alone, to those who know its address, whole at each moment, and up to date in a real browser."""

import http.client
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.parse

import pytest
from browser import PROGRAM, WHY_NOT, Browser

from tensan.cli.live import Page, Server
from tensan.core.curves import Figures, Series
from tensan.core.errors import RunFileError
from tensan.core.findings import Told
from tensan.core.report import Run
from tensan.core.runfile import RunFile

FIELDS = {"name": "broadcast-in-loss", "category": "correctness", "level": "error", "proof": "law", "message": "the first finding"}
SHP101 = Told(code="SHP101", fingerprint="1", **FIELDS)


class Going:
    """A run that goes on as a test wants it."""

    def __init__(self, path, rank=0):
        self.path, self.rank, self.file = path, rank, RunFile(path)
        self.file.append("start", {"version": 1, "script": "train.py", "pid": os.getpid(), "started": ""})
        self.file.append("run", Run(script="train.py", pid=os.getpid(), rank=rank))

    def step(self, step, loss):
        self.file.append("figures", Figures(steps=step, series=[Series(kind="loss", name="train.py:3", points=[(step, loss)])]))

    def end(self):
        self.file.append("run", Run(script="train.py", status="completed", steps=1_000, rank=self.rank))


@pytest.fixture
def run(tmp_path):
    return Going(tmp_path / "run.jsonl")


@pytest.fixture
def server(run):
    with Server(Page(lambda: [run.path])) as serving:
        thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


def ask(server, path, *, method="GET", host=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request(method, path, headers={"Host": host or f"127.0.0.1:{server.server_port}"})
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer, body


def test_is_for_this_machine_and_those_who_know(server):
    secret = f"/{server.secret}"
    assert server.server_address[0] == "127.0.0.1"
    assert len(server.secret) >= 20
    for path in ("/", "/version", secret, f"{secret}/../", f"{secret}/run.jsonl", "/etc/passwd", f"{secret}/?x", "/%2e%2e/"):
        answer, body = ask(server, path)
        assert (answer.status, body) == (404, "nothing here\n"), path
    for host in ("evil.example", f"evil.example:{server.server_port}", "127.0.0.1", f"127.0.0.1.evil.example:{server.server_port}"):
        assert ask(server, f"{secret}/", host=host)[0].status == 403
    assert ask(server, f"{secret}/", host=f"localhost:{server.server_port}")[0].status == 200
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "HEAD"):
        assert ask(server, f"{secret}/", method=method)[0].status == 501
    answer, _ = ask(server, f"{secret}/")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Access-Control-Allow-Origin"] is None


def test_goes_with_the_run(server, run):
    secret = f"/{server.secret}/"
    versions = [ask(server, secret + "version")[1]]
    assert versions[0].startswith("running")
    assert ask(server, secret + "version")[1] == versions[0], "nothing new"
    assert f'data-live="{versions[0]}"' in ask(server, secret)[1]
    for happening in (lambda: run.step(10, 2.5), lambda: run.file.append("finding", SHP101), run.end):
        happening()
        versions.append(ask(server, secret + "version")[1])
        assert versions[-1] not in versions[:-1]
    text = ask(server, secret)[1]
    assert versions[-1].startswith("ended")
    assert "the first finding" in text
    assert "The run has ended." in text


def test_ranks_are_one_page(tmp_path):
    runs = [Going(tmp_path / f"r{rank}.jsonl", rank) for rank in range(2)]
    for run in runs:
        run.step(10 + run.rank, 1.0)
    runs[1].file.append("finding", SHP101)
    page = Page(lambda: [run.path for run in runs])
    assert "0 at step 10, 1 at step 11" in page.text()
    assert "the first finding" in page.text()
    runs[0].end()
    assert page.version().startswith("running"), "until all have ended"
    runs[1].end()
    assert page.version().startswith("ended")


def test_what_is_no_run_is_said(tmp_path):
    with pytest.raises(RunFileError):
        Page(lambda: [tmp_path / "none.jsonl"]).version()


def test_a_run_that_vanishes_is_said(server, run):
    run.path.unlink()
    answer, body = ask(server, f"/{server.secret}/")
    assert answer.status == 503
    assert "cannot be read" in body


PROGRAM_OF_A_RUN = """
import os, torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(40):
    x, y = torch.randn(16, 8), torch.randn(16)
    optimizer.zero_grad()
    ((model(x) - y) ** 2).mean().backward()
    optimizer.step()
    if step == 30:
        print("waiting", flush=True)
        input()
"""


def test_a_real_run_until_ctrl_c(tmp_path):
    command = [sys.executable, "-m", "tensan"]
    (tmp_path / "train.py").write_text(PROGRAM_OF_A_RUN)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": tmp_path}
    training = subprocess.Popen([*command, "run", "-q", "train.py"], **pipes)
    assert training.stdout.readline() == "waiting\n", training.stderr.read()
    following = subprocess.Popen([*command, "report", "--follow", "--html"], **pipes)
    address = urllib.parse.urlsplit(re.search(r"http://\S+", following.stdout.readline())[0])
    assert address.hostname == "127.0.0.1"

    def get(path):
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        connection.request("GET", address.path + path)
        body = connection.getresponse().read().decode()
        connection.close()
        return body

    text = get("")
    assert get("version").startswith("running")
    assert "SHP101" in text
    assert "The run goes on" in text
    assert training.communicate("\n", timeout=60) == ("", "")
    assert training.returncode == 0
    assert get("version").startswith("ended")
    assert "The run has ended." in get("")
    following.send_signal(signal.SIGINT)
    out, err = following.communicate(timeout=20)
    assert (following.returncode, out.strip(), err) == (0, "", "")


@pytest.mark.skipif(PROGRAM is None, reason=WHY_NOT)
def test_in_a_browser(server, run, tmp_path):
    def wait(expression):
        done = f"new Promise(done => {{ const look = () => ({expression}) ? done(true) : setTimeout(look, 50); look(); }})"
        for _ in range(100):
            try:
                return browser.ask(done)
            except AssertionError:  # the page was loaded anew meanwhile
                continue
        return None

    with Browser(tmp_path / "profile") as browser:
        browser.call("Page.navigate", url=server.url)
        assert wait("document.readyState === 'complete' && document.querySelector('#live')")
        assert browser.ask("document.querySelector('#live').textContent") == "The run goes on, and this page with it."
        browser.ask("document.querySelector('#watched details, details').open = true; 0")
        name = browser.ask("document.querySelector('#watched details, details').firstElementChild.textContent")
        run.step(10, 2.5)
        run.file.append("finding", SHP101)
        assert wait("document.readyState === 'complete' && document.querySelector('#finding-1')")
        opened = "[...document.querySelectorAll('details[open] > summary')].map(each => each.textContent)"
        assert name in browser.ask(opened), "what was open stays open"
        run.end()
        assert wait("document.readyState === 'complete' && document.querySelector('#live').textContent === 'The run has ended.'")
        asked = [each["params"]["request"]["url"] for each in browser.events if each.get("method") == "Network.requestWillBeSent"]
        assert all(url.startswith((server.url, "data:")) for url in asked), asked
        assert any(url == f"{server.url}version" for url in asked)
        assert browser.complaints() == []


@pytest.mark.parametrize("word", ["--patch", "--picture", "--format=json", "--output=x"])
def test_goes_with_no_other_form(run, command, word):
    done = subprocess.run([*command, "report", "--follow", "--open", word, str(run.path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "--follow" in done.stderr
