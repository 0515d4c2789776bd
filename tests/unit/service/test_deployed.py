# SPDX-License-Identifier: MIT
"""What the guide has for others to copy: the unit of systemd, and the proxy that speaks TLS."""

import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.unit.service.conftest import ROOT, Person, listening

from assay.service.house import House

GUIDE = ROOT / "docs" / "guide" / "service.md"
NAME = "bench.example.org"
START_SECONDS = 30.0


def block(begins: str) -> str:
    """Return the block of the guide that begins with a line."""
    _, _, rest = GUIDE.read_text().partition(f"```\n{begins}\n")
    return rest.partition("```")[0]


def needs(program: str) -> str:
    """Return the path of a program; skip the test without it."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


def test_systemd_finds_nothing_wrong_in_the_unit(tmp_path: Path) -> None:
    """The program of the unit is this clone's."""
    text = block("# /etc/systemd/system/assay.service")
    assert "/opt/assay/scripts/assay" in text
    unit = tmp_path / "assay.service"
    unit.write_text(text.replace("/opt/assay", str(ROOT)))
    words = [needs("systemd-analyze"), "verify", str(unit)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, "assay.service" in done.stderr) == (0, False), done.stderr


def answers(port: int) -> bool:
    """Return whether somebody listens at a port."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def proxy(folder: Path, service: str) -> Iterator[int]:
    """Run nginx with the block of the guide, on a free port with a certificate of its own."""
    program = needs("nginx")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    words += ["-nodes", "-keyout", "privkey.pem", "-out", "fullchain.pem", "-subj", f"/CN={NAME}"]
    subprocess.run([*words, "-addext", f"subjectAltName=DNS:{NAME}"], cwd=folder, check=True,
                   capture_output=True)  # fmt: skip
    text = block("# nginx")
    for said, here in (("443", f"127.0.0.1:{port}"), ("http://127.0.0.1:8080", service),
                       (f"/etc/letsencrypt/live/{NAME}", str(folder))):  # fmt: skip
        assert said in text
        text = text.replace(said, here)
    config = folder / "nginx.conf"
    config.write_text(
        f"user root; daemon off; pid {folder}/pid; error_log {folder}/log; events {{}}\n"
        f"http {{ access_log off; client_body_temp_path {folder}/body; {text} }}\n"
    )
    process = subprocess.Popen([program, "-e", str(folder / "log"), "-c", str(config)])
    try:
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and not answers(port):
            assert process.poll() is None, (folder / "log").read_text()
            time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait()


def test_the_service_is_reached_through_the_proxy_of_the_guide(
    house: House, ann: Person, archive: bytes, tmp_path: Path
) -> None:
    """Pages, an upload, and a session whose cookie is bound to https and this host."""
    with (
        listening(house, f"https://{NAME}") as service,
        proxy(tmp_path, service) as port,
        httpx.Client(
            base_url=f"https://127.0.0.1:{port}", headers={"Host": NAME},
            verify=ssl.create_default_context(cafile=str(tmp_path / "fullchain.pem")),
        ) as client,
    ):  # fmt: skip
        named = {"sni_hostname": NAME}
        page = client.get("/", extensions=named)
        assert page.status_code == 200
        assert page.headers["strict-transport-security"]
        upload = client.post("/api/v1/submissions", params={"name": "rc4"}, content=archive,
                             headers=ann.headers, extensions=named)  # fmt: skip
        assert upload.status_code == 201
        assert upload.json()["page"].startswith(f"https://{NAME}/submissions/")
        form = {"token": ann.token, "then": "/"}
        cookie = client.post("/sign-in", data=form, extensions=named).headers["set-cookie"]
        assert cookie.startswith("__Host-assay=")
        assert "secure" in cookie.lower()
        direct = httpx.get(service, headers={"Host": "elsewhere.example"})
        assert direct.status_code == 400
