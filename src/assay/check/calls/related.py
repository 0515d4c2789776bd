# SPDX-License-Identifier: MIT
"""Functions that headers declare besides those of the operation, and the order of crypto_sort.

Users of PQClean's layout call `crypto_sign_signature` and `crypto_sign_verify`, which no test of
SUPERCOP calls. They must agree with those of the operation. What Assay does not know how to call
is named in the verdict. Items that are sorted come in one order, whatever order they came in.
"""

from collections.abc import Callable, Iterator

from assay.check.arena import Arena
from assay.check.calls.detached import signatures
from assay.check.check import Check, CheckFailed, CheckFinding, CheckInapplicable
from assay.check.lengths.far import far
from assay.check.operation.calling import CallAnswer, Caller
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.routine import at_random, flipped, said
from assay.compile.supercop.related import related
from assay.model.operation import Op

LONGEST_COINS = 4096
AEAD_LENGTHS = ((0, 0), (1, 3), (33, 16), (1000, 7))  # of messages and associated data
BLOCKS = (8, 16, 32, 64, 128)
PAIRS, PAIRED = 12, 80
CONTEXT_BYTES = 1 << 16  # more than any context of a hash
STREAM_LENGTHS = (0, 1, 63, 64, 65, 1000)
STREAMED, WORDS = 1000, 1 << 32
LEAST_BLOCK = 8
TOLD = 16  # bytes that are not the same by chance

SECONDS = 0.6
MOST_ITEMS, EACH_SECONDS = 1025, 0.2  # each number of items below
LENGTHS = (4097, 65537, 140_001)
SHORT = (1, 2, 3, 16, 77, 300)
FEW = 9  # small numbers, beside the least, the largest and -1
ARRAY = "x"


def run_related(trial: OperationTrial) -> str:
    """Call what belongs to the operation; name the rest."""
    found = related(trial.package)
    names = {one.suffix for one in found.functions} & set(trial.subject.functions)
    if not names and not found.left:
        raise CheckInapplicable("headers declare nothing else")
    remark = ""
    if names:
        with trial.session() as session:
            remark = EXAMINED[trial.subject.operation](Caller(trial, session))
    left = f"not examined: {', '.join(found.left)}" if found.left else ""
    return "; ".join(filter(None, (left, remark)))


def keys(call: Caller) -> str:
    """Make keys and ciphertexts of the bytes that `randombytes` would give."""
    own = _from_coins(call, "_keypair", {}, call.room("pk", "sk"))
    _from_coins(call, "_enc", {"pk": own.outputs["pk"]}, call.room("c", "k"))
    return ""


def _from_coins(
    call: Caller, suffix: str, given: dict[str, bytes], room: dict[str, int]
) -> CallAnswer:
    """Call a function, and the one that is given its random bytes, if there is one."""
    plain = call(suffix, given, room)
    size = sum(plain.drawn)
    if not call.has(f"{suffix}_derand") or not 0 < size <= LONGEST_COINS:
        return plain
    coins = call.trial.bytes(size)
    plain = call(suffix, given, room, supplied=coins)
    other = call(f"{suffix}_derand", {**given, "coins": coins}, room)
    if other.result != plain.result:
        raise CheckFailed(
            f"{call.name(suffix)} returns {plain.result} and {call.name(suffix)}_derand "
            f"{other.result} with the same random bytes"
        )
    for name, value in plain.outputs.items():
        if other.outputs[name] != value:
            raise CheckFailed(
                f"{call.name(suffix)}_derand gives another {name} than {call.name(suffix)} with "
                "the same random bytes",
                f"coins = {coins.hex().upper()}\n"
                f"{call.name(suffix)}: {name} = {value[:64].hex().upper()}\n"
                f"{call.name(suffix)}_derand: {name} = {other.outputs[name][:64].hex().upper()}\n",
            )
    return plain


def aead(call: Caller) -> str:
    """Encrypt with the tag apart, and decrypt that."""
    short = [tuple(map(call.trial.random.randrange, (PAIRED, PAIRED))) for _ in range(PAIRS)]
    blocks = [(one, data) for one in BLOCKS for data in (0, one)]
    for length, data in (*AEAD_LENGTHS, *blocks, *short, *((one, 0) for one in far(call.trial))):
        given = {
            "m": call.trial.bytes(length),
            "ad": call.trial.bytes(data),
            "nsec": call.trial.bytes(call.constant("NSECBYTES")),
            "npub": call.trial.bytes(call.constant("NPUBBYTES")),
            "k": call.trial.bytes(call.constant("KEYBYTES")),
        }
        tag = call.constant("ABYTES")
        sealed = call("_encrypt", given, {"c": length + tag}).measured("c")
        c, mac = sealed[:length], sealed[length:]
        if call.has("_encrypt_detached"):
            apart = call("_encrypt_detached", given, {"c": length, "mac": tag})
            if (apart.result, apart.outputs["c"], apart.measured("mac")) != (0, c, mac):
                raise CheckFailed(
                    f"{call.name('_encrypt_detached')} with m of {length} bytes gives another "
                    f"ciphertext or tag than {call.name('_encrypt')}"
                )
        if call.has("_decrypt_detached"):
            _decrypts(call, {**given, "c": c, "mac": mac}, len(given["nsec"]))
    return ""


def _decrypts(call: Caller, given: dict[str, bytes], secret: int) -> None:
    name, room = call.name("_decrypt_detached"), {"m": len(given["m"]), "nsec": secret}
    opened = call("_decrypt_detached", given, room)
    if (opened.result, opened.outputs["m"]) != (0, given["m"]):
        raise CheckFailed(f"{name} does not recover a message of {len(given['m'])} bytes")
    for changed, at in _places(given):
        bit = call.trial.random.randrange(8)
        forged = {**given, changed: flipped(given[changed], at, 1 << bit)}
        refused = call("_decrypt_detached", forged, room)
        if refused.result == 0:
            raise CheckFailed(f"{name} accepts {changed} with bit {bit} of byte {at} changed")
        if given["m"][:TOLD] in refused.outputs["m"] and len(given["m"]) >= TOLD:
            raise CheckFailed(f"{name} leaves the message in m though it refuses it")


def _places(given: dict[str, bytes]) -> Iterator[tuple[str, int]]:
    """Yield the bytes of a tag, and both ends of what it authenticates."""
    yield from (("mac", at) for at in range(len(given["mac"])))
    ends = ((name, {0, len(given[name]) - 1}) for name in ("ad", "c") if given[name])
    yield from ((name, at) for name, both in ends for at in both)


def stream(call: Caller) -> str:
    """Encrypt from the first block on, and from others."""
    for length in (*STREAM_LENGTHS, *far(call.trial)):
        given = {
            "m": call.trial.bytes(length),
            "n": call.trial.bytes(call.constant("NONCEBYTES")),
            "k": call.trial.bytes(call.constant("KEYBYTES")),
        }
        room = {"c": length}
        if call("_xor_ic", given, room, number=0).outputs != call("_xor", given, room).outputs:
            raise CheckFailed(
                f"{call.name('_xor_ic')} from block 0 on gives another output than "
                f"{call.name('_xor')} for {length} bytes"
            )
    return _blocks(call, given)


def _blocks(call: Caller, given: dict[str, bytes]) -> str:
    """Make keystream from block 1 on, and across block 2^32."""
    given = {**given, "m": bytes(STREAMED)}
    name, room = call.name("_xor_ic"), {"c": STREAMED}
    first, second, last, far_on = (
        call("_xor_ic", given, room, number=number).outputs["c"]
        for number in (0, 1, WORDS - 1, WORDS)
    )
    block = first.find(second[:TOLD])
    if block < 1 or block % LEAST_BLOCK or first[block:] != second[:-block]:
        raise CheckFailed(f"{name} from block 1 on gives no later part of the keystream")
    if last[block:] != far_on[:-block] or far_on == first:
        raise CheckFinding(f"{name} does not go on from block 2^32 - 1 to block 2^32")
    return ""


def incremental(call: Caller) -> str:
    """Hash two messages by turns, each in some pieces, of which some are empty."""
    if not all(call.has(suffix) for suffix in ("_init", "_update", "_final")):
        return "not examined: an incremental hash that lacks a function"
    digest = {"h": call.constant("BYTES")}
    for length in (*STREAM_LENGTHS, *far(call.trial)):
        (pieces,) = at_random(call.trial.random, 1, length, 1)
        messages = [call.trial.bytes(length) for _ in range(2)]
        fresh = {"state": bytes(CONTEXT_BYTES)}
        states = [call("_init", fresh).outputs["state"] for _ in messages]
        at = 0
        for piece in pieces:
            for number, m in enumerate(messages):
                given = {"state": states[number], "m": m[at : at + piece]}
                states[number] = call("_update", given).outputs["state"]
            at += piece
        for m, state in zip(messages, states, strict=True):
            found = call("_final", {"state": state}, digest).outputs["h"]
            if found != call("", {"in": m}, {"out": digest["h"]}).outputs["out"]:
                raise CheckFailed(
                    f"{call.name('_init')}, {call.name('_update')} and {call.name('_final')} of "
                    f"two messages by turns give another digest than {call.name('')} for "
                    f"{length} bytes as {said(pieces)}"
                )
    return ""


EXAMINED: dict[str, Callable[[Caller], str]] = {
    Op.SIGN: signatures,
    Op.KEM: keys,
    Op.AEAD: aead,
    Op.STREAM: stream,
    Op.HASH: incremental,
}

RELATED = Check(
    "calls/related",
    "Do the further functions that headers declare agree with those of the operation?",
    (
        "Users of PQClean's signatures call `crypto_sign_signature` and `crypto_sign_verify`, "
        "which SUPERCOP's tests never call. A verification that accepts everything, or believes "
        "any length, forges for everybody. What is not examined is named."
    ),
    "Make one function of the other, and refuse every length but that of a signature.",
    run_related,
)


def order(trial: OperationTrial) -> str:
    """Sort the same items in another order."""
    if trial.subject.operation != Op.SORT:
        raise CheckInapplicable(f"{trial.subject.operation} sorts nothing")
    size, budget = trial.subject.constant("BYTES"), trial.budget(SECONDS)
    with trial.session() as session:
        for batch in trial.uses(LENGTHS):
            arena = Arena(session)
            for routine in budget.each(session, batch):
                data = routine.value(ARRAY)
                items = [data[at : at + size] for at in range(0, len(data), size)]
                mixed = b"".join(trial.some(items))
                if arena.outcome(routine) != arena.outcome(routine.given(ARRAY, mixed)):
                    raise CheckFailed(
                        f"{len(items)} items in another order come out in another order"
                    )
        _few_values(trial, session, size)
        remark = _each_number(trial, session, size)
    return budget.remark() or remark


def _few_values(trial: OperationTrial, session: OperationSession, size: int) -> None:
    """Sort arrays in which items come often: each must come out as often."""
    values = [one.to_bytes(size, "little") for one in range(FEW)]
    values += [bytes([0xFF]) * size, bytes(size - 1) + b"\x80", b"\xff" * (size - 1) + b"\x7f"]
    for batch in trial.uses(SHORT):
        arena = Arena(session)
        for routine in batch:
            count = routine.variables[ARRAY].size // size
            items = trial.random.choices(values, k=count)
            found = arena.outcome(routine.given(ARRAY, b"".join(items))).outputs[ARRAY]
            out = [found[at : at + size] for at in range(0, len(found), size)]
            if sorted(out) != sorted(items):
                raise CheckFailed(
                    f"of {count} items with few values not the same come out",
                    f"in  {b''.join(items).hex()}\nout {found.hex()}\n",
                )


def _each_number(trial: OperationTrial, session: OperationSession, size: int) -> str:
    """Sort each number of items in three orders; return the remark on what was left out.

    The ends have the largest and the smallest item, which must change places. What has come out
    is sorted again with its first item last, or its last one first.
    """
    budget = trial.budget(EACH_SECONDS)
    large, small = bytes([0xFF]) * (size - 1) + b"\x7f", bytes(size - 1) + b"\x80"
    for count in budget.each(session, trial.some(range(2, MOST_ITEMS))):
        session.agent.forget_buffers()
        (batch,) = trial.uses((count,))
        routine = batch[0]
        if routine.variables[ARRAY].size != count * size:
            break
        items = sorted((large, *(trial.bytes(size) for _ in range(count - 2)), small))
        there = Arena(session).outcome(routine.given(ARRAY, b"".join(items)))
        out = there.outputs[ARRAY]
        at = trial.random.choice((size, len(out) - size))
        others = b"".join(items[::-1]), out[at:] + out[:at]
        if any(Arena(session).outcome(routine.given(ARRAY, one)) != there for one in others):
            raise CheckFailed(f"{count} items in another order come out in another order")
    return budget.remark("numbers of items")


ORDER = Check(
    "sort/order",
    "Do the same items come out in the same order, whatever order they come in?",
    "That is what sorting is; SUPERCOP's tests have short arrays of random numbers, in which none "
    "comes twice. Every number of items up to 1,024 is tried, as far as the code is fast.",
    "Look for a truncated length, and for a last comparison that is left out.",
    order,
)
