# SPDX-License-Identifier: MIT
"""Where figures come from, in a sentence that can be cited: machine, clock, compilers, dates."""

from collections.abc import Iterator, Sequence

from assay import __version__
from assay.model import Launch, Machine


def origin_text(machine: Machine | None, launches: Sequence[Launch]) -> str:
    """Return the sentence; empty where nothing is known of a machine or nothing was launched."""
    if machine is None or not launches:
        return ""
    return f"Measured {', '.join(_parts(machine, launches))}."


def measured_on(launches: Sequence[Launch]) -> str:
    """Return the day of the launches, or the first and the last one."""
    days = sorted({launch.started_at[:10] for launch in launches})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else ""


def counters_text(launches: Sequence[Launch]) -> str:
    """Name the clock counters of launches."""
    return " and ".join(dict.fromkeys(launch.counter.name for launch in launches))


def _parts(machine: Machine, launches: Sequence[Launch]) -> Iterator[str]:
    guest = f", virtualised ({machine.virtualised})" if machine.virtualised else ""
    hardware = f"{machine.cpu}, {machine.architecture}{guest}"
    yield f"{measured_on(launches)} on {machine.host} ({hardware})"
    yield f"clock: {counters_text(launches)}"
    if machine.compilers:
        yield f"compilers: {' and '.join(machine.compilers)}"
    yield f"by Assay {machine.assay or __version__}"
