# SPDX-License-Identifier: MIT
"""The rates of eSTREAM's performance report (HOWTO 2.3).

Times are in ticks of a counter whose rate is known; "cycles" and the rate of the
clock they belong to are the caller's business, because a tick need not be one.
"""

from collections.abc import Mapping

MICRO = 1e6
BITS = 8.0

# Simple Imix: packets of 40, 576 and 1500 bytes in proportion 7:4:1.
IMIX = {40: 7, 576: 4, 1500: 1}
IMIX_BYTES = sum(count * size for size, count in IMIX.items())


def microseconds(ticks: float, ticks_per_second: float) -> float:
    """Turn ticks into microseconds."""
    return ticks * MICRO / ticks_per_second


def megabits_per_second(ticks_per_byte: float, ticks_per_second: float) -> float:
    """Turn ticks per byte into megabits (10^6 bits) per second."""
    return BITS / microseconds(ticks_per_byte, ticks_per_second)


def setups_per_second(ticks_per_setup: float, ticks_per_second: float) -> float:
    """Turn ticks per setup into setups per second."""
    return ticks_per_second / ticks_per_setup


def overhead_percent(per_byte: float, stream_per_byte: float) -> float:
    """Return how much more a byte costs than in a long stream (both in one unit), in percent."""
    return 100.0 * (per_byte / stream_per_byte - 1.0)


def imix_per_byte(per_packet: Mapping[int, float]) -> float:
    """Weigh the times of packets of 40, 576 and 1500 bytes; gives time per byte."""
    return sum(count * per_packet[size] for size, count in IMIX.items()) / IMIX_BYTES
