# SPDX-License-Identifier: MIT
"""The service in a real browser: submit by a form, watch the states change, read the verdicts."""

import asyncio
import threading
from collections.abc import Coroutine
from pathlib import Path

from playwright.sync_api import Browser, expect
from tests.unit.report.browsing import in_browser
from tests.unit.report.conftest import browser
from tests.unit.service.conftest import FakeWorker, Person

from assay.service.desk import SubmissionDesk

__all__ = ["browser"]
pytestmark = in_browser
MARKUP = "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"


def step(work: Coroutine[object, object, object]) -> None:
    """Do what the service or a worker does meanwhile, in a loop of its own."""
    thread = threading.Thread(target=asyncio.run, args=(work,))
    thread.start()
    thread.join()


async def judged(desk: SubmissionDesk, worker: FakeWorker, number: str) -> None:
    """Unpack and judge."""
    await worker.register()
    await desk.look_through()
    await worker.do(f"judge-{number}-native")
    await desk.look_through()


def test_a_form_submits_and_its_page_shows_the_states_and_verdicts(
    browser: Browser,
    address: str,
    ann: Person,
    archive: bytes,
    tmp_path: Path,
    desk: SubmissionDesk,
    worker: FakeWorker,
) -> None:
    """No script of a name runs on the way, and the pages complain about nothing."""
    packed = tmp_path / "rc4.tar.gz"
    packed.write_bytes(archive)
    messages: list[str] = []
    page = browser.new_page()
    page.on("console", lambda one: messages.append(one.text) if one.type == "error" else None)
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.goto(f"{address}/submit")
    page.get_by_label("Token").fill(ann.token)
    page.get_by_role("button", name="Sign in").click()
    form = page.locator("form[enctype]")
    form.get_by_label("Name").fill(MARKUP)
    form.get_by_label("Message to readers").fill(MARKUP)
    form.get_by_label("Archive").set_input_files(packed)
    form.get_by_role("button", name="Submit").click()
    state = page.locator("#state strong")
    expect(state).to_have_text("received")
    expect(page.get_by_role("heading", level=1)).to_have_text(MARKUP)
    number = page.url.rpartition("/")[2]
    step(judged(desk, worker, number))
    page.reload()
    expect(state).to_have_text("waiting")
    step(worker.begin(f"measure-{number}-bench"))
    expect(state).to_have_text("measuring", timeout=20_000)  # the page renews itself
    step(worker.do(f"measure-{number}-bench"))
    step(desk.publish())
    page.reload()
    expect(state).to_have_text("published")
    expect(page.locator("#results tbody")).to_contain_text("pass")
    page.get_by_role("link", name="salsa20/ref").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("salsa20")
    page.goto(f"{address}/submissions/{number}")
    with page.expect_download() as bundle:
        page.get_by_role("link", name="download").click()
    assert Path(bundle.value.path()).read_bytes()[:2] == b"\x1f\x8b"
    page.goto(f"{address}/primitives/stream/salsa20/compare.html")
    expect(page.get_by_role("heading", level=1)).to_contain_text("salsa20")
    assert "run" not in page.title()
    assert messages == []
