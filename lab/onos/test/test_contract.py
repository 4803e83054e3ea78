# SPDX-License-Identifier: Apache-2.0
"""Schemathesis, with all of its checks, finds nothing that REST does other than its document.

It leaves revisions of policies behind, which nothing takes away: tests that count them come before.
"""

import json
import secrets
from collections.abc import Iterator
from pathlib import Path

import contract
import hypervisor
import pytest
from controller import Controller
from network import Network
from sluice import REST

ADMIN, VIEWER, NOBODY = "onos:rocks", "guest:guest", "nobody:wrong"
METHODS = {"get", "put", "post", "patch", "delete"}
# Other tests on this machine may have an agent, too.
LINK_PORT = 35_000 + secrets.randbelow(1_000)


# What needs a registration, a congested switch port or a host that is away, which the network of
# these tests lacks.
UNREACHABLE = {
    "POST /flows",
    "GET /flows/{id}",
    "PUT /flows/{id}",
    "DELETE /flows/{id}",
    "DELETE /hosts/{id}",
    "GET /flows/{id}/why",
    "GET /ports/{datapath}/{number}/queues",
}


@pytest.fixture(scope="module")
def sluice(
    onos: Controller, network: Network, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Controller]:
    """ONOS with the application and an agent's guest; tenants and policies as they were, after."""
    directory = tmp_path_factory.mktemp("hypervisor")
    with hypervisor.connected(onos, network, directory, LINK_PORT):
        before = {"tenants": onos.get(f"{REST}/tenants")["tenants"]}
        try:
            yield onos
        finally:
            assert onos.request("PUT", f"{REST}/tenants", before)[0] == 200
            assert onos.request("DELETE", f"{REST}/policies")[0] == 204


@pytest.fixture
def document(sluice: Controller, tmp_path: Path) -> Path:
    """The document as it is served."""
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(sluice.get(f"{REST}/openapi.json")))
    return file


def test_responses_to_an_administrator_match_the_document(
    sluice: Controller, document: Path, tmp_path: Path
):
    done = contract.run(sluice, tmp_path, document, ADMIN, "--max-examples", "20")
    assert done.returncode == 0, done.stdout + done.stderr
    paths = json.loads(document.read_text())["paths"]
    operations = {
        f"{method.upper()} {path}" for path in paths for method in METHODS & set(paths[path])
    }
    found = contract.statuses(tmp_path)
    assert operations <= set(found)
    refused_only = {each for each in operations if not found[each] & {200, 201, 204}}
    assert refused_only <= UNREACHABLE


@pytest.mark.parametrize(
    ("user", "allowed"), [(VIEWER, {200, 304, 400, 401, 403, 404}), (NOBODY, {401})]
)
def test_responses_to_other_users_match_the_document(
    sluice: Controller, document: Path, tmp_path: Path, user: str, allowed: set[int]
):
    done = contract.run(
        sluice, tmp_path, document, user, "--phases", "examples,fuzzing", "--max-examples", "3"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = set().union(*contract.statuses(tmp_path).values())
    assert found <= allowed
    assert found & {401, 403}


def test_a_wrong_document_is_found(sluice: Controller, document: Path, tmp_path: Path):
    wrong = json.loads(document.read_text())
    schemas = wrong["components"]["schemas"]
    schemas["Access"]["properties"]["role"]["type"] = "integer"
    del wrong["paths"]["/journal"]["get"]["parameters"][0]["schema"]["minimum"]
    wrong["paths"] = {path: wrong["paths"][path] for path in ("/access", "/journal")}
    document.write_text(json.dumps(wrong))
    done = contract.run(
        sluice, tmp_path, document, ADMIN, "--phases", "examples,coverage", "--max-examples", "3"
    )
    assert done.returncode == 1, done.stdout + done.stderr
    for operation, flaw in (
        ("GET /access", "Response violates schema"),
        ("GET /journal", "Schema-valid request rejected"),
    ):
        assert operation in done.stdout
        assert flaw in done.stdout
