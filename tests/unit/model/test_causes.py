# SPDX-License-Identifier: MIT
"""What explains other failures comes first, and they say from what they follow."""

from assay.model import CheckResult, Verdict
from assay.model.causes import WARNINGS, causes, consequences, explained

SIGSYS = "SIGSYS in step 1 of crypto_hash: it called rt_sigaction, which a package may not"
SIGSEGV = "SIGSEGV in step 1 of crypto_hash at address 0x0"


def failed(check: str, reason: str) -> CheckResult:
    """Make a failure."""
    return CheckResult(check, Verdict.FAIL, reason)


def follows(*checks: CheckResult) -> dict[str, str]:
    """Return what each check follows from, in the order in which they are shown."""
    return {one.check: one.follows for one in explained(checks)}


def test_a_call_of_the_system_comes_before_the_deaths_that_it_causes() -> None:
    """Everything that was ended by the seal follows; findings do, too."""
    found = follows(
        CheckResult("agent/answers", Verdict.PASS),
        failed("supercop/returns", SIGSYS),
        failed("buffers/guard", SIGSYS),
        failed("lengths/beyond-2-gib", "no answer in time while crypto_hash"),
        failed("abi/registers", "crypto_hash changes rbx"),
        failed("object/calls", "it can start or control processes: it calls system"),
        CheckResult("abi/modes", Verdict.FINDING, SIGSYS),
    )
    assert list(found)[:3] == ["agent/answers", "object/calls", "supercop/returns"]
    assert {name for name, one in found.items() if not one} == {
        "agent/answers", "object/calls", "abi/registers"}  # fmt: skip


def test_a_crash_in_ordinary_calls_explains_the_same_signal_elsewhere() -> None:
    """Another signal is another defect."""
    found = follows(
        failed("supercop/returns", SIGSEGV),
        failed("buffers/guard", SIGSEGV),
        failed("state/calls", "SIGFPE in step 1 of crypto_hash"),
    )
    assert found == {
        "supercop/returns": "",
        "buffers/guard": "supercop/returns",
        "state/calls": "",
    }


def test_a_crash_where_packets_are_compared_explains_it_where_no_vectors_are_known() -> None:
    """ESTREAM's mosquito sets the pointers of its context nowhere: all its checks died alike."""
    found = follows(failed("vectors/consistent", SIGSEGV), failed("calls/sparse", SIGSEGV))
    assert found["calls/sparse"] == "vectors/consistent"


def test_a_crash_at_a_guarded_page_explains_no_other() -> None:
    """Its buffers are special, so that another crash may have another cause."""
    found = follows(failed("buffers/guard", SIGSEGV), failed("lengths/beyond-4-mib", SIGSEGV))
    assert set(found.values()) == {""}


def test_a_buffer_that_is_overrun_in_ordinary_calls_explains_why_it_is_in_others() -> None:
    """Forged messages are read beyond their ends like any others; not so another buffer."""
    found = follows(
        failed(
            "forgeries/lengths", "SIGSEGV in step 1 of f at byte 0 behind the buffer m of 1 bytes"
        ),
        failed(
            "forgeries/ends", "SIGSEGV in step 1 of f at byte 2 behind the buffer k of 32 bytes"
        ),
        failed("buffers/guard", "SIGSEGV in step 1 of g at byte 0 behind the buffer m of 0 bytes"),
    )
    assert found == {
        "buffers/guard": "",
        "forgeries/lengths": "buffers/guard",
        "forgeries/ends": "",
    }
    assert next(iter(found)) == "buffers/guard"


def test_a_generator_of_the_c_library_explains_results_that_change() -> None:
    """SUPERCOP's hecfp127i draws its secret keys from random."""
    another = "crypto_dh with a of 32 bytes gives another result each time"
    found = follows(
        failed("buffers/distance", another),
        failed("calls/deterministic", "crypto_dh at another place gives another e"),
        failed("object/calls", "it can change the program around it: it calls random"),
        failed("abi/registers", "crypto_dh changes rbx"),
    )
    assert [name for name, one in found.items() if one] == [
        "buffers/distance",
        "calls/deterministic",
    ]
    assert next(iter(found)) == "object/calls"


def test_results_that_change_from_call_to_call_explain_wrong_ones() -> None:
    """What overruns a buffer is nevertheless a failure of its own."""
    found = follows(
        failed("checksum/small", "the checksum of all outputs is not the checksumsmall of toy"),
        failed("calls/deterministic", "crypto_hash at another place gives another h"),
        failed("state/calls", "in round 2 crypto_hash gives another result than in the first"),
        failed("calls/margins", "crypto_hash writes 3 bytes behind h"),
    )
    assert next(iter(found)) == "calls/deterministic"
    assert found["checksum/small"] == found["state/calls"] == "calls/deterministic"
    assert found["calls/margins"] == ""


def test_a_clock_explains_results_that_change() -> None:
    """Code that asks for the time computes something else each time."""
    found = follows(
        failed("calls/at-once", "crypto_hash gives another result in 4 of 8 calls"),
        failed("object/calls", "it can depend on its surroundings: it calls time"),
    )
    assert found == {"object/calls": "", "calls/at-once": "object/calls"}


def test_a_warning_of_the_compiler_is_first_where_code_crashes() -> None:
    """A function without a declaration returns an int, and its pointer is cut off."""
    warned = CheckResult(WARNINGS, Verdict.FINDING, "implicit declaration of function 'table'")
    found = follows(failed("supercop/returns", SIGSEGV), failed("buffers/guard", SIGSEGV), warned)
    assert next(iter(found)) == WARNINGS
    assert found["buffers/guard"] == WARNINGS


def test_a_warning_explains_no_wrong_result() -> None:
    """Only a crash follows from it: a wrong checksum stays the failure that it is."""
    warned = CheckResult(WARNINGS, Verdict.FINDING, "a.c:5: implicit declaration of function 'f'")
    wrong = failed("checksum/small", "it is not the checksum of the other implementations")
    assert follows(warned, wrong)["checksum/small"] == ""
    loose = CheckResult(WARNINGS, Verdict.FINDING, "a.c:5: 'x' may be used uninitialized")
    assert follows(loose, failed("supercop/returns", SIGSEGV))["supercop/returns"] == ""


def test_verdicts_without_a_cause_stay_as_they_are() -> None:
    """Their order is the one in which checks are shown."""
    checks = (CheckResult("a/a", Verdict.PASS), failed("b/b", "wrong"), failed("c/c", SIGSEGV))
    assert explained(checks) == checks
    assert explained(explained(checks)) == checks


def test_causes_and_what_follows_are_told_apart() -> None:
    """Reports show the first whole and the others in a line."""
    checks = explained(
        (failed("supercop/returns", SIGSYS), failed("object/calls", "it calls fork"))
    )
    assert [one.check for one in causes(checks)] == ["object/calls"]
    assert consequences(checks) == [("object/calls", ("supercop/returns",))]


def test_a_call_of_exit_explains_that_code_ends_and_no_other_crash() -> None:
    """The finding is the cause; silence and invalid addresses are defects of their own."""
    calls = CheckResult("object/calls", Verdict.FINDING, "it can end the program around it")
    found = follows(
        failed("checksum/small", "crypto_hash: it exited with code 0"),
        failed("state/calls", "SIGABRT in step 1 of crypto_hash"),
        failed("buffers/guard", SIGSEGV),
        failed("lengths/every", "no answer in time while crypto_hash"),
        calls,
    )
    assert next(iter(found)) == "object/calls"
    assert {name for name, one in found.items() if one} == {"checksum/small", "state/calls"}


def test_code_that_uses_errno_explains_no_end() -> None:
    """Only what can end the program does."""
    errno = CheckResult("object/calls", Verdict.FINDING, "it uses errno, which is the caller's")
    found = follows(failed("checksum/small", "it exited with code 0"), errno)
    assert found["checksum/small"] == ""
