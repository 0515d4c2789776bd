# SPDX-License-Identifier: MIT
"""Whether a message in pieces gives what it gives in one call, of wrapped functions.

A wrapper of `init`, `update` and `final` cuts messages where a macro asks for it: that is built
as another package, and asked the same. The pieces follow from the message, by the arithmetic of
`harness/supercop/include/assay_pieces.h`, so that they can be named.
"""

from assay.check.against.compare import differences, shrunk
from assay.check.against.pair import Difference, Pair, ReferenceFailed
from assay.check.check import CheckFailed, CheckOpen
from assay.check.routine import Pieces, said

WORDS = ("in one call", "in pieces")
MESSAGE = ("in", "m")  # what hashes and MACs call it
BELOW = (1, 2, 8, 17, 65, 130, 300)
_32 = 0xFFFFFFFF


def cut(message: bytes) -> Pieces:
    """Return the lengths of the pieces in which a wrapper gives a message to `update`."""
    state = 0x11C9DC5
    for byte in message[:4096]:
        state = (state ^ byte) * 0x1000193 & _32
    left, pieces = len(message), []
    while left or state >> 31:
        state = (state * 0x19660D + 0x3C6EF35F) & _32
        kind = state >> 13 & 7
        piece = left if kind == len(BELOW) else min((state >> 16) % BELOW[kind], left)
        pieces.append(piece)
        left -= piece
    return tuple(pieces)


def compare_pieces(pair: Pair) -> str:
    """Ask both builds of a package the same; raise for the smallest message that differs."""
    try:
        for found in differences(pair):
            _report(shrunk(pair, found))
    except ReferenceFailed as failed:
        raise CheckFailed(str(failed)) from None
    if not pair.asked:
        raise CheckOpen("no message was asked for", cure="Report it: this is Assay's fault.")
    return f"the same for {pair.asked} messages in pieces as in one call"


def _report(found: Difference) -> None:
    variables = found.first.routine.variables
    message = next((variables[one].value for one in MESSAGE if one in variables), None) or b""
    pieces = said(cut(message)) or "no call"
    reason = f"{len(message)} bytes as {pieces} give another result than in one call"
    raise CheckFailed(reason, found.shown(WORDS))
