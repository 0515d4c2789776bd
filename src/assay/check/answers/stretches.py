# SPDX-License-Identifier: MIT
"""Giving a package the bytes of NIST's generator, request by request.

What the generator gives depends on how its output is cut into requests. So the calls are
made with any random bytes first, and their requests noted; then again with what the
generator gives to such requests, until the requests are those expected. Each round settles
at least one more of them.

Packages change: two requests for 32 bytes, when the file was made, may be one for 64 now.
So there are other ways to cut the generator's output, each tried where those before do not
give the known answer. All of them give the package bytes of this generator only: to equal
a known answer by chance is out of the question.
"""

from collections.abc import Callable

from assay.check.answers.asked import AskedPackage, Call, CallResults, Unfollowed

ROUNDS = 64
MOST_SUPPLIED = 65536  # the agent keeps no more
PIECE = 32

Requests = tuple[tuple[int, ...], ...]  # of each call, in order
Cut = Callable[[Requests], tuple[int, ...]]
Supply = Callable[[tuple[int, ...]], bytes]
"""What a generator that was seeded gives for requests of such lengths, joined."""


def as_asked(requests: Requests) -> tuple[int, ...]:
    """Cut as the package asks, which is NIST's way."""
    return tuple(length for call in requests for length in call)


def in_pieces(requests: Requests) -> tuple[int, ...]:
    """Cut long requests into pieces of 32 bytes."""
    pieces: list[int] = []
    for length in as_asked(requests):
        pieces += [PIECE] * (length // PIECE)
        pieces += [length % PIECE] if length % PIECE else []
    return tuple(pieces)


def call_by_call(requests: Requests) -> tuple[int, ...]:
    """Join the requests of each call to one."""
    return tuple(sum(call) for call in requests if call)


CUTS: tuple[Cut, ...] = (as_asked, in_pieces, call_by_call)


def settled(asked: AskedPackage, supply: Supply, cut: Cut, *calls: Call) -> CallResults:
    """Make the calls with the generator's bytes; Unfollowed if that does not settle."""
    requests = asked.requests
    for _ in range(ROUNDS):
        run = asked.calls(*calls, random=supply(cut(requests)))
        if not run.followed or run.drawn > MOST_SUPPLIED:
            raise Unfollowed("more requests for random bytes than can be followed")
        if run.requests == requests:
            return run
        asked.requests = requests = run.requests
    raise Unfollowed(f"requests for random bytes that change in each of {ROUNDS} rounds")
