"""A session: everything around one watch, from settings and rules to adapters, run file, reports and exit status."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tensan._version import __version__
from tensan.core import plugins, settings
from tensan.core.adapter import Adapter
from tensan.core.channel import Channel
from tensan.core.errors import TensanError
from tensan.core.events.run import Raised, RunStart
from tensan.core.findings import Level
from tensan.core.report import Report, Run, summary_line
from tensan.core.runfile import RunFile
from tensan.core.settings import Settings
from tensan.core.sink import Sink
from tensan.core.tracker import Delivery
from tensan.core.watch import Stopped, Watch, current, set_current
from tensan.launch import children, inquiry, place, ranks, tracebacks
from tensan.launch.merged import merged, read_all
from tensan.launch.output import make_sink, text_of, write_whole
from tensan.launch.settling import settle
from tensan.launch.tracking import Tracking

if TYPE_CHECKING:
    from tensan.core.questions import Questions

#: Settings that name a file for the report, by the format that it is written in.
_DOCUMENTS = ("json", "sarif", "html")
#: How long rank 0 waits for its siblings before it ends with a failure, which makes torchrun kill them.
_PATIENCE_SECONDS = 60.0
#: Seconds that the page waits for what the other ranks have seen.
_PAGE_SECONDS = 10.0

_running: Session | None = None


class Session:
    """One watched run of this process; `start` makes it."""

    def __init__(
        self, *, watch: Watch, interactive: bool, folder: Path, rank: int | None, documents: Mapping[str, Path | None] | None = None
    ) -> None:
        self.watch = watch
        self.interactive = interactive
        self.adapters: dict[str, Adapter] = {}
        self._documents = dict(documents or {})
        self._folder = folder
        self._rank = rank
        self._process = os.getpid()
        self._status = ""
        self._final: Report | None = None
        self._joined = 0
        self._exception: tuple[str, str, str] | None = None
        self._ended: int | None = None
        self._tracking = Tracking(watch, watch.settings.track, self._delivery)

    # ---- the beginning ----

    @classmethod
    def start(cls, *, flags: Mapping[str, Any] | None = None, script: str = "", interactive: bool = True) -> Session:
        """Starts to watch this process.

        Args:
            flags: settings by attribute, over those of the environment and of pyproject.toml.
            script: what is being run, for the report.
            interactive: whether the program itself asked, rather than `tensan run`.

        Returns:
            The session. Inside `tensan run` this is the one that runs already; `TENSAN=0` gives one that watches nothing.

        Raises:
            UsageError: when a setting, a rule or the baseline is wrong.
        """
        running = cls.running()
        if interactive and running is not None:
            if not running.interactive:
                running._joined += 1
                return running
            running.close(quiet=True)
        held = settings.load(flags=flags)
        if switched_off():
            return cls(watch=Watch(settings=held, script=script), interactive=True, folder=Path(), rank=None)
        held, rules, baseline = settle(held)
        questions = _questions(held)
        rank, folder = ranks.rank(), Path(held.output).absolute()
        run_file, note = place.open_run_file(folder, rank=rank)
        watch = Watch(
            settings=held,
            rules=rules,
            script=script or (sys.argv[0] if sys.argv else ""),
            run_file=run_file,
            channel=Channel(_channel_folder(run_file, folder)),
            baseline=baseline,
            rank=rank or 0,
            questions=questions,
        )
        session = cls(
            watch=watch,
            interactive=interactive,
            folder=folder,
            rank=rank,
            documents=_documents(held),
        )
        if held.recover != "off":
            session._recover(held)
        if held.goal is not None:
            session.pursue(held.goal)
        if note:
            watch.note(note)
        if run_file is not None and rank is not None:
            run_file.append(ranks.RECORD, ranks.record())
        session._tracking.begin()
        session._begin()
        return session

    @classmethod
    def recovering(cls, parts: Sequence[object], *, flags: Mapping[str, Any]) -> Session:
        """Starts to watch this process and keeps its run alive; where a session runs already, that one does so from now on.

        Args:
            parts: what the program trains.
            flags: settings by attribute, `recover` among them.

        Raises:
            UsageError: when a setting is wrong.
        """
        running = cls.running()
        if running is None:
            running = cls.start(flags=flags)
        elif running.watch.gate.is_open:
            held, _, _ = settle(settings.load(flags=flags))
            running._recover(held)
        for adapter in running.adapters.values():
            adopt = getattr(adapter, "adopt", None)
            if adopt is not None:
                running._guarded("recovery", partial(adopt, parts))
        return running

    def _recover(self, held: Settings) -> None:
        from tensan.recovery.attachment import attach

        attach(self.watch, held, self._folder)

    def pursue(self, goal: str) -> None:
        """Follows the run to a goal from now on.

        Raises:
            ValueError: when it is none.
        """
        from tensan.core.goal import parse
        from tensan.recovery.pursuit import Following

        self.watch.pursuit = Following(parse(goal))

    @staticmethod
    def running() -> Session | None:
        """Returns the session that watches this process, whoever began it; None where nobody watches."""
        return _running if _running is not None and _running._process == os.getpid() else None

    def _begin(self) -> None:
        global _running
        _running = self
        watch = self.watch
        watch.versions |= {"tensan": __version__, "python": platform.python_version()}
        channel = watch.channel
        assert channel is not None
        children.become_root(channel.folder)
        set_current(watch)
        children.after_fork(_keep_to_the_channel)
        tracebacks.keep_bare()
        for name, kind in plugins.adapters(failed=lambda name, error: watch.switch_off(f"adapter {name}", error)).items():
            self._arm(name, kind)
        watch.emit(RunStart(script=watch.script))
        if self.interactive:
            import atexit

            atexit.register(self._end_with_the_process)
        else:
            inquiry.answer_signal(self._text_so_far)

    def _arm(self, name: str, kind: type) -> None:
        """Installs an adapter, now or as soon as its framework has been imported."""
        module = getattr(kind, "module", name)
        if module in sys.modules:
            self._install(name, kind)
        else:
            from wrapt import register_post_import_hook

            register_post_import_hook(lambda _module: self._install(name, kind), module)

    def _install(self, name: str, kind: type) -> None:
        watch = self.watch
        if current() is not watch or os.getpid() != self._process or name in self.adapters:
            return
        try:
            adapter = kind()
            adapter.install(watch)
            if adapter.answer not in watch.answerers:
                watch.answerers.append(adapter.answer)
        except Exception as error:  # noqa: BLE001 - the guest never breaks the host
            watch.switch_off(f"adapter {name}", error)
            return
        self.adapters[name] = adapter
        version = getattr(sys.modules.get(kind.module), "__version__", None)
        if version is not None:
            watch.versions.setdefault(kind.module, str(version))

    # ---- the end ----

    def conclude(self, exception: BaseException | None) -> None:
        """Takes in how the script ended, while all that it built is still alive; neither prints nor raises."""
        if self._status:
            return
        watch = self.watch
        self._status = _status(exception, watch)
        if self._status == "raised" and exception is not None and watch.wants(Raised):
            self._guarded("report of the exception", lambda: watch.emit(self._raised(exception)))
        for name, adapter in self.adapters.items():
            self._guarded(f"adapter {name}", partial(adapter.finish, status=self._status))
        if watch.settings.track:
            self._exception, self._ended = tracebacks.told(exception), time.time_ns()
        self._tracking.deliver()

    def _delivery(self) -> Delivery:
        """Returns what trackers are handed: the report as it stands, since they take it while the script's own objects are alive."""
        if self._status:
            self._guarded("channel", self.watch.receive)
        report = self._with_figures(self.watch.snapshot(status=self._status or "running"))
        page = text_of(report, format="html", hints=self.watch.settings.preview)
        return Delivery(report=report, page=page, exception=self._exception, ended=self._ended)

    def _raised(self, exception: BaseException) -> Raised:
        """Returns the event, as the first adapter tells it that understands what the exception is about."""
        for adapter in self.adapters.values():
            explain = getattr(adapter, "explain", None)
            told = explain(exception, step=self.watch.steps) if explain is not None else None
            if told is not None:
                return told
        return Raised(kind=type(exception).__name__, message=str(exception), step=self.watch.steps)

    def end(self, exception: BaseException | None, exit_status: int | None = None, *, quiet: bool | None = None) -> Report:
        """Ends the watch, writes the reports and returns the report; never raises.

        Args:
            exception: what ended the script, if anything did.
            exit_status: the script's own.
            quiet: nothing on stderr; by default as the settings say.
        """
        global _running
        if self._final is not None:
            return self._final
        watch = self.watch
        self.conclude(exception)
        self._guarded("channel", watch.receive)
        if watch.settings.prove and self._status != "interrupted":
            self._guarded("trial of fixes", watch.prove)
            self._guarded("trackers", self._tracking.amend)
        self._guarded("trackers", partial(self._tracking.deliver, last=True))
        if not self.adapters and not switched_off():
            watch.not_checked("everything (no framework that tensan knows was imported)")
        report = self._final = self._finish(exit_status)
        if watch.run_file is not None:
            watch.run_file.close()
        set_current(None)
        if _running is self:
            _running = None
        if self.interactive:
            import atexit

            atexit.unregister(self._end_with_the_process)
        if watch.channel is not None:
            shutil.rmtree(watch.channel.folder, ignore_errors=True)
        for format, path in self._documents.items():
            self._guarded(f"{format} report", partial(self._write_document, format, path, report))
        if not (watch.settings.quiet if quiet is None else quiet):
            self._show(report)
            self._annotate(report)
        return report

    def _finish(self, exit_status: int | None) -> Report:
        try:
            return self.watch.finish(status=self._status, exit_status=exit_status)
        except Exception as error:  # noqa: BLE001 - the guest never breaks the host
            self.watch.switch_off("the report", error)
            return Report(
                run=Run(
                    status=self._status, exit_status=exit_status, notes=["TEN901: the report could not be put together: " + repr(error)]
                )
            )

    def exit_status(self, status: int) -> int:
        """Returns the exit status of the whole: the script's own unless that is 0 and `--fail-on` is reached."""
        held = self.watch.settings
        if status != 0 or held.fail_on == "never" or self._final is None or (self._rank or 0) != 0:
            return status
        if not self._final.at_least(Level[held.fail_on.upper()]):
            return status
        if self._rank is not None and held.error_exitcode:
            ranks.wait_for_others(self._folder, seconds=_PATIENCE_SECONDS)
        return held.error_exitcode

    def _guarded(self, part: str, call: Callable[[], object]) -> None:
        try:
            call()
        except (Exception, Stopped) as error:  # noqa: BLE001 - the guest never breaks the host
            if not isinstance(error, Stopped):  # the script is over: there is nothing left to stop
                self.watch.switch_off(part, error)

    # ---- reports ----

    def report(self) -> Report:
        """Returns the report as it stands."""
        if self._final is not None:
            return self._final
        self._guarded("channel", self.watch.receive)
        return self.watch.snapshot()

    def _show(self, report: Report) -> None:
        """Prints the report to the process's own stderr, on a line of its own whatever the script left unfinished there."""
        if self._rank:
            self._print(self._lines_of_other_rank(report))
            return
        sink = self._sink(self.watch.settings.format)
        stream = sys.__stderr__
        try:
            if stream is None or stream.closed:
                return
            stream.write("\n")
            if sink is None:
                stream.write(summary_line(report) + "\n")
            else:
                sink.write(report, stream)
            stream.flush()
        except OSError:  # a closed pipe, a full disk: there is nobody left to tell
            return
        except Exception as error:  # noqa: BLE001 - a broken sink costs its report, never the run
            self._print(f"tensan: the report failed: {type(error).__name__}: {error}; `tensan report` shows it\n{summary_line(report)}\n")

    def _annotate(self, report: Report) -> None:
        """Under GitHub Actions, adds what shows the findings in the files of a change; the runner reads it off stderr."""
        if self._rank or os.environ.get("GITHUB_ACTIONS") != "true" or self.watch.settings.format == "github":
            return
        sink = self._sink("github")
        if sink is not None and report.at_least(Level.WARNING):
            import io

            text = io.StringIO()
            self._guarded("annotations for GitHub", partial(sink.write, report, text))
            self._print("".join(f"{line}\n" for line in text.getvalue().splitlines() if line.startswith("::")))

    def _lines_of_other_rank(self, report: Report) -> str:
        """Returns what only this rank has found; rank 0 prints the report."""
        known = ranks.known_to_first(self._folder)
        own = [told for told in report.at_least(Level.WARNING) if told.fingerprint not in known]
        sink = self._sink("concise") if own else None
        if sink is None:
            return ""
        import io

        text = io.StringIO()
        sink.write(Report(run=report.run, findings=own), text)
        return "".join(f"rank {self._rank}: {line}\n" for line in text.getvalue().splitlines()[:-1])

    def _text_so_far(self) -> str:
        # Not `report()`: the signal may have come in the middle of a rule, which must not be handed another event.
        return self.text_of(self.watch.snapshot())

    def text_of(self, report: Report) -> str:
        """Returns a report of this session as its settings want it on a screen."""
        held = self.watch.settings
        return text_of(report, format="concise" if held.format == "concise" else "full", verbose=held.verbose, hints=held.preview)

    def _sink(self, name: str) -> Sink | None:
        return make_sink(name, verbose=self.watch.settings.verbose, hints=self.watch.settings.preview)

    def _write_document(self, format: str, path: Path | None, report: Report) -> None:
        sink = self._sink(format)
        if sink is None or self._rank:  # one file, one writer: rank 0
            return
        name, target = format.upper(), getattr(self.watch.settings, format)
        if format == "html":
            report = self._with_figures(report)
        try:
            if path is None:
                if sys.__stdout__ is not None:
                    sink.write(report, sys.__stdout__)
                    sys.__stdout__.flush()
            else:
                write_whole(path, partial(sink.write, report))
        except (OSError, ValueError) as error:
            run_file = self.watch.run_file
            remedy = f"; `tensan report {run_file.path} --format {format} -o FILE` writes it elsewhere" if run_file is not None else ""
            self._print(f"tensan: {target}: the {name} report cannot be written: {getattr(error, 'strerror', None) or error}{remedy}\n")
        except Exception as error:  # noqa: BLE001 - a broken sink costs its report, never the run
            self._print(f"tensan: TEN901: the {name} report failed: {type(error).__name__}: {error}; `tensan report` shows the run\n")

    def _with_figures(self, report: Report) -> Report:
        """Returns the report with the curves and diagrams of all ranks, from their run files; without them where its own cannot be read."""
        if self.watch.run_file is None:
            return report
        path = self.watch.run_file.path
        try:
            if self._rank is not None:
                ranks.wait_for_others(self._folder, seconds=_PAGE_SECONDS)
            written, *others = read_all(ranks.together(path))
            return merged([msgspec.structs.replace(report, curves=written.curves, diagrams=written.diagrams), *others])
        except TensanError:
            return report

    def _print(self, text: str) -> None:
        try:
            if text and sys.__stderr__ is not None:
                sys.__stderr__.write(text)
                sys.__stderr__.flush()
        except (OSError, ValueError):
            return

    # ---- for notebooks and programs that start the watch themselves ----

    def close(self, *, quiet: bool = False) -> Report:
        """Ends the watch that the program itself began, prints its report and returns it."""
        if not self.interactive:  # it belongs to `tensan run`, which ends it with the script
            self._joined -= 1
            return self.report()
        return self.end(None, quiet=quiet or switched_off() or None)

    def _end_with_the_process(self) -> None:
        if os.getpid() != self._process or self._final is not None:
            return
        error = getattr(sys, "last_value", None) if not hasattr(sys, "ps1") else None
        self.end(error, exit_status=None if error is None else 1)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if self.interactive:
            self.conclude(error)
        self.close()

    def __repr__(self) -> str:
        return summary_line(self.report())

    def _repr_html_(self) -> str:
        from tensan.launch.notebook import table

        return table(self.report())


def switched_off() -> bool:
    """Tells whether the environment switches everything off."""
    return os.environ.get("TENSAN") == "0"


def status_of(exception: BaseException | None) -> int:
    """Returns the exit status that python gives to a script that ended so."""
    if exception is None:
        return 0
    if isinstance(exception, SystemExit):
        code = exception.code
        return 0 if code is None else code & 0xFF if isinstance(code, int) else 1
    return 130 if isinstance(exception, KeyboardInterrupt) else 1


def _status(exception: BaseException | None, watch: Watch) -> str:
    if isinstance(exception, SystemExit):
        return "stopped" if watch.stopped else "completed"
    if isinstance(exception, KeyboardInterrupt):
        return "interrupted"
    return "completed" if exception is None else "raised"


def _questions(held: Settings) -> Questions | None:
    if not held.ask:
        return None
    from tensan.core.questions import Questions

    return Questions(held.ask)


def _documents(held: Settings) -> dict[str, Path | None]:
    """Returns where the report is to be written, by format; None stands for stdout. The script may change its folder later."""
    named = {format: getattr(held, format) for format in _DOCUMENTS}
    return {format: None if target == "-" else Path(target).absolute() for format, target in named.items() if target}


def _channel_folder(run_file: RunFile | None, folder: Path) -> Path:
    return run_file.path.with_suffix(".channel") if run_file is not None else folder / f"{os.getpid()}.channel"


def _keep_to_the_channel() -> None:
    """In a forked process: the run file and the report are its parent's."""
    watch = current()
    if watch is not None:
        watch.run_file = None
