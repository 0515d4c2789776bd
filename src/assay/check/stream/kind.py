# SPDX-License-Identifier: MIT
"""What the engine needs of the kind `stream`, and its checks in the order in which they run."""

from collections.abc import Callable

from assay.check import families
from assay.check.answers import vectors
from assay.check.answers.vector_files import VECTORS
from assay.check.arena import SECOND_BASE, Arena
from assay.check.calls import rare_failures
from assay.check.check import Check, CheckFailed, CheckSkipped, Origin, refusal_means
from assay.check.keystream import carry, everywhere, functions, gigabytes, long
from assay.check.kinds import Kind
from assay.check.lengths import splits
from assay.check.lengths.far import also_far
from assay.check.memory import sanitized
from assay.check.object import linked
from assay.check.schemes import library
from assay.check.seal import mac, mac_ends
from assay.check.session import StreamSession, describe_stream
from assay.check.state import contexts
from assay.check.stream.routines import accepted_sizes, fresh_message, increasing
from assay.check.stream.trial import Trial
from assay.execute.agent import Agent, AgentLost
from assay.model import StreamSubject
from assay.model.wire import StreamFunction

EXERCISED_BYTES = 100
EXERCISED = ("encrypt_bytes", "encrypt_packet", "decrypt_bytes", "decrypt_packet")
BESIDE_BYTES = 1024  # as in harness/agent/stream.h
ARGUMENTS = ("key", "IV", "input")
AT_ONCE = 1  # the first calls are made by both threads: code may make its tables there
# What makes the code compute, with sanitizers.
SANITIZED: tuple[Check[Trial], ...] = (
    *vectors.CHECKS,
    *families.LENGTHS,
    *functions.CHECKS,
    functions.KEYSTREAM,
    *families.BUFFERS,
    *mac.CHECKS,
    mac_ends.ENDS,
    *mac.DATA,
)


def sizes_enumerate(trial: Trial) -> None:
    """Key, IV and MAC sizes must increase strictly and end at the stated maximum."""
    subject = trial.subject
    enumerated = [
        ("KEY", subject.key_bits, subject.max_key_bits),
        ("IV", subject.iv_bits, subject.max_iv_bits),
    ]
    if subject.authenticates:
        enumerated.append(("MAC", subject.mac_bits, subject.max_mac_bits))
    for family, sizes, maximum in enumerated:
        shown = f"ECRYPT_{family}SIZE(i) gives {', '.join(map(str, sizes))}"
        if not increasing(sizes):
            text = f"*** ERROR: ECRYPT_{family}SIZE(i) does not conform to API."
            raise CheckFailed(
                f"ECRYPT_{family}SIZE(i) does not increase with i", f"{text}\n{shown}"
            )
        if sizes[0] > maximum:
            reason = (
                f"ECRYPT_{family}SIZE(0) is {sizes[0]}, above ECRYPT_MAX{family}SIZE {maximum}"
            )
            raise CheckFailed(reason, shown)


def use_threads(trial: Trial, connect: Callable[[], Agent]) -> None:
    """Have two threads encrypt with contexts, keys and IVs of their own."""
    sizes = trial.sizes[-1]
    with connect() as agent:
        session = trial.converse(agent)
        arenas = Arena(session), Arena(session, base=SECOND_BASE)
        for arena in arenas:
            message = fresh_message(trial.bytes, trial.subject, sizes, BESIDE_BYTES)
            routine = message.by("encrypt_bytes", data=0)
            arena.ready(routine)
        places = tuple(arena.buffer(name) for name in ARGUMENTS for arena in arenas)
        with refusal_means(CheckSkipped("a thread is not to be had on this target")):
            agent.answer(StreamFunction.THREADS, places, (*sizes.bits(), AT_ONCE))


def describe(agent: Agent) -> StreamSubject:
    """Ask for a description; AgentLost if nothing could be asked of such a cipher."""
    subject = describe_stream(agent)
    sizes = (
        subject.key_bits and subject.iv_bits and (subject.mac_bits or not subject.authenticates)
    )
    if not sizes or not subject.block_bytes or not subject.buffer_bytes:
        raise AgentLost(
            f"by its header a block has {subject.block_bytes} bytes, the buffer "
            f"{subject.buffer_bytes}, and there are {len(subject.key_bits)} key sizes"
        )
    return subject


def exercise(agent: Agent, subject: StreamSubject) -> None:
    """Encrypt and decrypt a message and a packet of zeros, in aligned buffers."""
    arena = Arena(StreamSession(agent, subject))
    message = fresh_message(bytes, subject, accepted_sizes(subject)[-1], EXERCISED_BYTES)
    for name in EXERCISED:
        arena.use(message.by(name))
    agent.flush()


CHECKS: tuple[Check[Trial], ...] = (
    Check(
        name="api/sizes",
        asks="Can the key, IV and MAC sizes be enumerated as the API says?",
        why="Programs find the sizes of a cipher by counting up i until the maximum is passed; "
        "an enumeration that does not increase never ends, or hides sizes.",
        cure="Let ECRYPT_KEYSIZE(i), ECRYPT_IVSIZE(i) and ECRYPT_MACSIZE(i) increase strictly "
        "with i, and make the ECRYPT_MAX...SIZE macros the largest size meant.",
        run=sizes_enumerate,
        origin=Origin.ESTREAM,
    ),
    *vectors.CHECKS,
    library.CHECK,
    *contexts.CHECKS,
    *families.CALLS,
    *families.PROCESSOR,
    *families.SURROUNDINGS,
    *families.THREADS,
    *families.STATE,
    rare_failures.OF_CIPHERS,
    *families.LENGTHS,
    splits.NULL,
    *functions.CHECKS,
    *also_far((functions.KEYSTREAM,), few=True),
    *also_far((everywhere.CHECK,), few=True),
    everywhere.OWN_BYTES,
    *families.CONTEXT,
    *families.BUFFERS,
    *also_far(mac.CHECKS[:1]),
    *mac.CHECKS[1:],
    mac_ends.ENDS,
    mac_ends.PAIRS,
    *mac.DATA,
    *families.ABI,
    linked.names("ECRYPT_"),
    *linked.CHECKS,
    *families.OBJECT,
    *gigabytes.CHECKS,
    *carry.CHECKS,
    long.CHECK,
    *families.SECRETS,
    *sanitized.checks(sanitized.quietly(SANITIZED), use_threads),
)

KIND = Kind(describe, Trial, CHECKS, exercise, VECTORS)
