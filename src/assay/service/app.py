# SPDX-License-Identifier: MIT
"""The application: routes, the answers to errors, and what runs beside it."""

import asyncio
import logging
import stat
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from litestar import Litestar, MediaType, route
from litestar.config.allowed_hosts import AllowedHostsConfig
from litestar.datastructures import State
from litestar.exceptions import HTTPException, NotFoundException
from litestar.file_system import BaseLocalFileSystem
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme
from litestar.params import FromPath
from litestar.response import Redirect, Response
from litestar.response.file import ASGIFileResponse
from litestar.static_files import StaticFiles
from litestar.types import PathType
from litestar.types.file_types import FileInfo
from sqlalchemy.exc import OperationalError

from assay import __version__
from assay.errors import AssayError
from assay.fleet.queue import QueueUnreachableError
from assay.service.administration import ADMINISTRATION
from assay.service.api import API
from assay.service.doors import AnyRequest, add_headers
from assay.service.house import House, house_of
from assay.service.pages import PAGES, shown
from assay.service.places import UploadError
from assay.service.submissions import QuotaReached

API_PATH = "/api/"


class LocalFiles(BaseLocalFileSystem):
    """Pages from the local disk; asking for one at once is cheaper than ten turns of a thread."""

    async def info(self, path: PathType, **_: object) -> FileInfo:
        """Describe what lies at a path."""
        found, own = Path(path).stat(), Path(path).lstat()  # noqa: ASYNC240 - microseconds
        return {
            "created": found.st_ctime, "gid": found.st_gid, "ino": found.st_ino,
            "islink": stat.S_ISLNK(own.st_mode), "mode": found.st_mode, "mtime": found.st_mtime,
            "name": str(path), "nlink": found.st_nlink, "size": found.st_size,
            "type": "directory" if stat.S_ISDIR(found.st_mode) else "file", "uid": found.st_uid,
        }  # fmt: skip


FILES = LocalFiles()
FULL = "the service cannot keep anything at the moment; try again later"
log = logging.getLogger("assay.service")
STATUS: dict[type[AssayError], int] = {
    QuotaReached: 429,
    UploadError: 400,
    QueueUnreachableError: 503,
}


def make_app(house: House, *, working: bool = True) -> Litestar:
    """Return the application of a service; `working` is whether submissions are worked on."""
    return Litestar(
        route_handlers=[
            API, PAGES, ADMINISTRATION,
            _file,
        ],
        state=State({"house": house}),
        before_send=[add_headers],
        allowed_hosts=AllowedHostsConfig([urlsplit(house.origin).netloc]),
        exception_handlers={
            HTTPException: _http, AssayError: _ours, OperationalError: _full, OSError: _full,
            Exception: _unexpected,
        },
        openapi_config=_described(),
        lifespan=[_working(house)] if working else [],
        logging_config=None,
        debug=False,
    )  # fmt: skip


@route("/{path:path}", http_method=["GET", "HEAD"], include_in_schema=False)
async def _file(request: AnyRequest, path: FromPath[Path]) -> ASGIFileResponse:
    """Return a file of the static site, or of what all pages need."""
    if "\0" in str(path):
        raise NotFoundException("there is no such page")
    folder = house_of(request).folder
    files = StaticFiles(
        is_html_mode=True, directories=[folder.site, folder.assets], file_system=FILES,
        resolve_symlinks=False,
    )  # fmt: skip
    return await files.handle(str(path).lstrip("/"), is_head_response=request.method == "HEAD")


def _described() -> OpenAPIConfig:
    return OpenAPIConfig(
        title="Assay service",
        version=__version__,
        path=f"{API_PATH}openapi",
        components=Components(security_schemes={"token": SecurityScheme("http", scheme="bearer")}),
        render_plugins=[],
    )


def _working(house: House) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
    """Return what does the desk's work for as long as the application runs."""

    @asynccontextmanager
    async def running(_: Litestar) -> AsyncIterator[None]:
        task = asyncio.create_task(house.desk.run())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await house.desk.queue.close()
            house.records.close()

    return running


def _answer(request: AnyRequest, status: int, detail: str) -> Response:  # type: ignore[type-arg]
    """Return what is wrong, to programs in JSON and to browsers on a page."""
    if request.url.path.startswith(API_PATH):
        content = {"status_code": status, "detail": detail}
        return Response(content, status_code=status, media_type=MediaType.JSON)
    return shown(request, "problem.html.j2", status, code=status, detail=detail)


def _http(request: AnyRequest, error: HTTPException) -> Response:  # type: ignore[type-arg]
    if error.status_code == 401 and not request.url.path.startswith(API_PATH):
        then = request.url.path if request.method == "GET" else "/"
        return Redirect("/sign-in", query_params={"then": then}, status_code=303)
    answer = _answer(request, error.status_code, error.detail)
    answer.headers.update(error.headers or {})
    return answer


def _ours(request: AnyRequest, error: AssayError) -> Response:  # type: ignore[type-arg]
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 400)
    return _answer(request, status, f"{error}. {error.cure}".strip())


def _full(request: AnyRequest, error: Exception) -> Response:  # type: ignore[type-arg]
    log.error("%s %s: %s", request.method, request.url.path, error)
    return _answer(request, 503, FULL)


def _unexpected(request: AnyRequest, error: Exception) -> Response:  # type: ignore[type-arg]
    log.error("%s %s", request.method, request.url.path, exc_info=error)
    return _answer(request, 500, "an error of the service; its log says more")
