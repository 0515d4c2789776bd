# SPDX-License-Identifier: MIT
"""`assay check --watch`: judge packages now, and again after each save, until Ctrl-C.

Processes, jail and imports stay from one verdict to the next. What failed last is asked first.
A verdict that takes longer than a save should wait for says on the way how far it is.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from threading import Lock

import click
from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.engine.examine import Engine, open_engine
from assay.check.engine.verdict import Located, PackageVerdict, judged
from assay.check.engine.wanted import Wanted
from assay.cli.check_options import Keeping, results_folder
from assay.cli.lines import showing
from assay.cli.main import SignalReceived
from assay.cli.verdicts import FailuresAtOnce, Form, tally
from assay.errors import AssayError
from assay.execute.jail import Jail
from assay.model import CheckResult, PackageKind, Verdict
from assay.model.compared import compared
from assay.package.discover import Found
from assay.report.printable import printable

# Milliseconds: a save is over when nothing follows for QUIET, or after LONGEST; what was saved
# before the system began to watch is looked for after FIRST.
QUIET, LONGEST, FIRST = 20, 200, 250
AGAIN_SECONDS = 0.1
ANSWER_SECONDS = 0.9  # a save is answered within a second: with what is known by then

OPEN_TOO = frozenset({Verdict.OPEN})


class SoFar(Struct):
    """Tells of failures at once, and after a while what has passed until then.

    Wrong outputs may be open instead, where a package has no name of its own: also told at once.
    """

    began: float = field(default_factory=time.monotonic)
    failures: FailuresAtOnce = field(
        default_factory=lambda: FailuresAtOnce(with_evidence=OPEN_TOO)
    )
    turn: Lock = field(default_factory=Lock)
    told: bool = False

    def __call__(self, check: CheckResult) -> None:
        """Hear of a verdict."""
        with self.turn:
            self.failures(check)
            seconds = time.monotonic() - self.began
            if self.told or seconds < ANSWER_SECONDS:
                return
            self.told = True
            heard = self.failures.heard
            counts = Counter(one.verdict for one in heard)
            correct = "outputs compared, " if compared(heard) else ""
            click.echo(f" * after {seconds:.1f} s: {correct}{tally(counts)} so far", err=True)


class WatchedBench(Struct):
    """The engine that judges one verdict after another, and what failed last.

    It is opened anew if another jail or kind is needed.
    """

    held: ExitStack = field(default_factory=ExitStack)
    engine: Engine | None = None
    made_for: tuple[Jail, PackageKind | None] | None = None
    failed: frozenset[str] = frozenset()

    def __enter__(self) -> "WatchedBench":
        """Begin; nothing is open yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the engine."""
        self.held.close()

    def judge(
        self,
        places: Sequence[Located],
        wanted: Wanted,
        made_for: tuple[Jail, PackageKind | None],
        form: Form,
    ) -> tuple[PackageVerdict, ...]:
        """Examine packages, and show each as it is done."""
        engine = self._engine(made_for)
        tell = SoFar()
        company = engine.workshop.company
        engine.workshop.company = replace(company, tell=tell, first=self.failed)
        done = []
        with (
            showing(brief=True) as progress,
            closing(judged(replace(engine, progress=progress), places, wanted)) as stream,
        ):
            for one in stream:
                form.show(one)
                done.append(one)
        checks = (check for one in done for check in one.checks)
        failed = frozenset(one.check for one in checks if one.verdict is Verdict.FAIL)
        self.failed = failed or self.failed  # what was fixed may be broken again
        return tuple(done)

    def _engine(self, made_for: tuple[Jail, PackageKind | None]) -> Engine:
        if self.engine is None or made_for != self.made_for:
            self.held.close()
            folder = self.held.enter_context(results_folder(Keeping.HARDLY, ()))
            progress = self.held.enter_context(showing(brief=True))
            jail, only = self.made_for = made_for
            self.engine = self.held.enter_context(
                open_engine(jail, folder, progress, only=only, lasting=False)
            )
        return self.engine


def watched(look: Callable[[], tuple[Found, ...]], judge: Callable[[Sequence[Found]], int]) -> int:
    """Judge what is found now, and after each save that changes it; return the last exit code.

    Ctrl-C ends it. What cannot be found or judged for the moment is said, and waited for.
    """
    code: int | None = None
    try:
        found = look()
        code = _timed(judge, found)
        while True:
            for names in _saves(found):
                try:
                    now = look()
                    if _contents(now) == _contents(found):
                        continue
                    found = now
                    click.echo(f"\n{', '.join(names) or 'before that'}:", err=True)
                    code = _timed(judge, found)
                except AssayError as error:
                    click.echo(f"error: {error}\n  {error.cure}", err=True)
    except SignalReceived:
        raise
    except KeyboardInterrupt:
        if code is None:
            raise
        return code


def _timed(judge: Callable[[Sequence[Found]], int], found: Sequence[Found]) -> int:
    began = time.monotonic()
    code = judge(found)
    seconds = time.monotonic() - began
    click.echo(f" * {seconds:.1f} s; the next save is waited for, Ctrl-C ends", err=True)
    return code


def _contents(found: Iterable[Found]) -> tuple[object, ...]:
    """Return what a verdict depends on."""
    return tuple(getattr(one, "identity", one) for one in found)


def _saves(found: Iterable[Found]) -> Iterator[list[str]]:
    """Yield the names of files of each save; it ends when a folder was replaced by another.

    The first is of nothing: what was saved before the system began to watch.
    """
    from watchfiles import watch  # noqa: PLC0415 - for --watch alone

    folders = _folders(found)
    while not all(one.is_dir() for one in folders):
        time.sleep(AGAIN_SECONDS)
    known = {one: one.stat().st_ino for one in folders}
    begun = False
    for changes in watch(
        *folders, step=QUIET, debounce=LONGEST, rust_timeout=FIRST, yield_on_timeout=True
    ):
        if changes or not begun:
            begun = True
            yield sorted({printable(Path(path).name) for _, path in changes})
        with suppress(FileNotFoundError):
            if {one: one.stat().st_ino for one in folders} == known:
                continue
        return


def _folders(found: Iterable[Found]) -> tuple[Path, ...]:
    """Return the folders that hold the files of packages."""
    folders = {one.root.resolve() for one in found}
    for one in found:
        for name in getattr(one, "files", ()):
            place = (one.root / name).resolve().parent
            if not any(place.is_relative_to(folder) for folder in folders):
                folders.add(place)
    return tuple(sorted(folders))
