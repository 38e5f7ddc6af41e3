"""The side channel, between real processes."""

import subprocess
import sys

from core.making import watching

from tensan.core.channel import Channel
from tensan.core.events.data import ItemEdited
from tensan.core.events.randomness import RandomState
from tensan.core.rule import Rule
from tensan.core.sites import Location, here

SENDER = """
import sys
from pathlib import Path
from tensan.core.channel import Channel
channel = Channel(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    channel.send({"number": number})
"""


def test_two_processes_are_heard(tmp_path):
    folder = tmp_path / "channel"
    processes = [subprocess.Popen([sys.executable, "-c", SENDER, str(folder), "200"]) for _ in range(2)]
    assert [process.wait(60) for process in processes] == [0, 0]
    channel = Channel(folder)
    channel.send({"own": True})
    heard = [message["number"] for message in channel.receive()]
    assert sorted(heard) == sorted([*range(200), *range(200)])
    assert list(channel.receive()) == []


def test_nobody_has_sent_anything(tmp_path):
    assert list(Channel(tmp_path / "none").receive()) == []
    assert not (tmp_path / "none").exists()


def test_a_line_still_being_written_waits(tmp_path):
    path = tmp_path / "other.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": ')
    channel = Channel(tmp_path, process="own")
    assert list(channel.receive()) == [{"a": 1}]
    assert list(channel.receive()) == []
    with path.open("ab") as file:
        file.write(b'2}\n{"a": 3}\n')
    assert list(channel.receive()) == [{"a": 2}, {"a": 3}]


def test_what_a_killed_process_left_is_skipped(tmp_path):
    (tmp_path / "other.jsonl").write_bytes(b'{"a": {"a": 1}\n[1]\n{"a": 2}\n')
    assert list(Channel(tmp_path, process="own").receive()) == [{"a": 2}]


def test_non_ascii(tmp_path):
    Channel(tmp_path, process="a").send({"größe": ["漢", None, 1.5]})
    assert list(Channel(tmp_path, process="b").receive()) == [{"größe": ["漢", None, 1.5]}]


def test_events_travel(tmp_path):
    heard = []

    class Hearing(Rule):
        code, name = "TST110", "hearing"

        def on_random_state(self, event):
            heard.append(event)

    worker = watching(channel=Channel(tmp_path, process="worker"))
    event = RandomState(
        step=4,
        site=here(),
        generator="self.rng",
        kind="Generator",
        loader="loader:1",
        worker=1,
        epoch=2,
        digest="x",
        made=Location(path="a.py", line=3),
    )
    worker.send(event)
    worker.send(ItemEdited(loader="loader:1", rows=3))  # nobody listens
    main = watching(Hearing, channel=Channel(tmp_path, process="main"))
    main.receive()
    main.receive()
    assert len(heard) == 1
    assert heard[0].made == Location(path="a.py", line=3)
    assert heard[0].site.path == __file__
    assert (heard[0].digest, heard[0].step) == ("x", 4)
    watching().receive()  # without a channel there is nothing to hear
    watching().send(event)
