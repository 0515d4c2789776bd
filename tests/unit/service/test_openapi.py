# SPDX-License-Identifier: MIT
"""The API under requests that its description allows, and many that it does not."""

import warnings
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from litestar.testing import TestClient
from tests.objects import Json
from tests.unit.service.conftest import Client, Person, sent

from assay.service.app import make_app
from assay.service.house import House
from assay.service.records import ServiceRecords

with warnings.catch_warnings():  # of its own dependencies
    warnings.simplefilter("ignore")
    import schemathesis

FEW, MANY = 10, 250  # requests of each operation


def test_the_description_has_every_route_of_the_api(client: Client) -> None:
    """And no page."""
    described = client.get("/api/openapi/openapi.json").json()
    assert set(described["paths"]) == {
        *(f"/api/v1/submissions{one}" for one in ("", "/by-address", "/{number}")),
        *(f"/api/v1/submissions/{{number}}/{one}" for one in ("archive", "letter")),
        *(f"/api/v1/{one}" for one in ("machines", "account", "tokens", "invitations", "audit")),
        "/api/v1/jobs/{name}",
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("examples", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_no_request_makes_the_service_fail(
    house: House, records: ServiceRecords, archive: bytes, examples: int
) -> None:
    """Schemathesis finds no answer of 500 or above, for an administrator's token."""
    root = Person(records, "root", administrator=True, waiting=10_000, daily=10_000)
    app = make_app(house, working=False)
    with TestClient(app, base_url=house.origin) as client:
        sent(client, root, archive)
        described = client.get("/api/openapi/openapi.json").json()
        schema = schemathesis.openapi.from_dict(described)
        calls = 0
        for found in schema.get_all_operations():
            operation: Any = found.ok()  # type: ignore[union-attr]

            @settings(max_examples=examples, deadline=None, database=None,
                      suppress_health_check=list(HealthCheck))  # fmt: skip
            @_given(operation)  # type: ignore[untyped-decorator]
            def call(case: Any) -> None:
                nonlocal calls
                calls += 1
                given = case.as_transport_kwargs(base_url=house.origin)
                answer = client.request(**_known(given, root))
                assert answer.status_code < 500, (given, answer.text)

            call()
    assert calls > 8 * examples


def _given(operation: Any) -> Any:
    """Draw requests of an operation, as it allows and as it does not."""
    from hypothesis import given  # noqa: PLC0415 - beside its only use
    from schemathesis import GenerationMode  # noqa: PLC0415

    right = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    wrong = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    return given(case=right | wrong)


def _known(given: Json, who: Person) -> Json:
    """Return a request as our client takes it, with the token that is always there."""
    names = ("method", "url", "params", "json", "data", "content", "cookies")
    kept = {name: value for name, value in given.items() if name in names and value is not None}
    if isinstance(kept.get("data"), (bytes, str)):
        kept["content"] = kept.pop("data")
    headers = {key: value for key, value in (given.get("headers") or {}).items()
               if key.lower() not in ("authorization", "content-length", "host")}  # fmt: skip
    return {**kept, "headers": {**headers, **who.headers}}
