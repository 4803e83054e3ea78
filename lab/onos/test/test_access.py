# SPDX-License-Identifier: Apache-2.0
"""Users of ONOS and their roles: what tenants' users see by REST, on the page and in the shell."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from controller import Controller
from sluice import REST, START_SECONDS, installed
from waiting import eventually

GOLD, RED, NOBODY = "gil:gold", "rita:red", "nora:nobody"
USERS = r"""
gil = gold,_g_:gold
rita = red,_g_:red
nora = nobody,_g_:nobody
_g_\:gold = group,ssh,sluice-tenant,sluice-tenant-gold
_g_\:red = group,ssh,sluice-tenant,sluice-tenant-red,sluice-deadlines
_g_\:nobody = group,sluice-tenant-gold
"""
TENANTS = {
    "gold": {"weight": 2, "members": [{"ipPrefix": "10.21.0.0/16"}]},
    "red": {"weight": 1, "members": [{"ipPrefix": "10.22.0.0/16"}]},
}
OF_THE_NETWORK = ("ports", "hosts", "doctor", "policies")


@pytest.fixture(scope="module")
def sluice(onos: Controller) -> Iterator[Controller]:
    before = onos.users.read_text()
    with installed(onos):
        for name, tenant in TENANTS.items():
            assert onos.request("PUT", f"{REST}/tenants/{name}", tenant)[0] in (200, 201)
        onos.users.write_text(before + USERS)
        try:
            yield onos
        finally:
            onos.users.write_text(before)


def _get(onos: Controller, path: str, user: str) -> tuple[int, Any]:
    return onos.request("GET", f"{REST}/{path}", user=user)


def test_a_users_role_is_reported(sluice: Controller):
    for user, role, tenants, registers in (
        ("onos:rocks", "admin", [], True),
        ("guest:guest", "viewer", [], False),
        (GOLD, "tenant", ["gold"], False),
        (RED, "tenant", ["red"], True),
    ):
        expected = {"role": role, "tenants": tenants, "registersDeadlines": registers}
        assert _get(sluice, "access", user) == (200, expected), user


def test_a_tenants_user_sees_its_own(sluice: Controller):
    listed = _get(sluice, "tenants", GOLD)[1]["tenants"]
    assert [each["id"] for each in listed] == ["gold"]
    assert _get(sluice, "tenants/gold", GOLD)[0] == 200
    assert _get(sluice, "tenants/red", GOLD)[0] == 404
    entries = _get(sluice, "journal", GOLD)[1]["entries"]
    assert entries
    assert {each["tenant"] for each in entries} == {"gold"}
    for path in ("endpoints", "flows", "deadlines"):
        assert _get(sluice, path, GOLD)[0] == 200, path


def test_network_resources_are_for_operators(sluice: Controller):
    for path in OF_THE_NETWORK:
        status, problem = _get(sluice, path, GOLD)
        assert (status, problem["status"]) == (403, 403), path
        assert problem["remedy"]
        assert _get(sluice, path, "guest:guest")[0] == 200, path


def test_a_tenants_user_changes_nothing(sluice: Controller):
    tenant = f"{REST}/tenants/gold"
    for user in (GOLD, RED, "guest:guest"):
        assert sluice.request("PUT", tenant, {"weight": 9}, user=user)[0] == 403, user
        assert sluice.request("DELETE", tenant, user=user)[0] == 403, user
    flow = {"source": "10.21.0.1", "destination": "10.22.0.1", "sizeBytes": 9, "dueInMillis": 900}
    assert sluice.request("POST", f"{REST}/flows", flow, user=GOLD)[0] == 403
    status, problem = sluice.request("POST", f"{REST}/flows", flow, user=RED)
    assert (status, problem["field"]) == (400, "source")
    assert sluice.request("GET", f"{REST}/tenants/gold")[1]["weight"] == 2


def test_requests_without_role_or_password_are_refused(sluice: Controller):
    assert _get(sluice, "tenants", NOBODY)[0] == 403
    assert _get(sluice, "tenants", "gil:wrong")[0] == 401
    assert sluice.request("GET", "v1/devices", user=GOLD)[0] == 403, "ONOS's own REST"


def test_the_page_is_for_tenants_too(sluice: Controller):
    def status(user: str) -> int:
        return sluice.request("GET", "sluice/ui/index.html", user=user)[0]

    eventually("the page, which starts after REST", lambda: status(GOLD) == 200, START_SECONDS)
    assert status(NOBODY) == 403


def test_the_shell_enforces_roles(sluice: Controller):
    before = sluice.users.read_text()
    (line,) = (each for each in before.splitlines() if each.startswith("karaf ="))
    try:
        sluice.users.write_text(before.replace(line, "karaf = karaf,_g_:gold"))
        listed = json.loads(sluice.cli("sluice-tenants", "-j"))["tenants"]
        assert [each["id"] for each in listed] == ["gold"]
        assert "needs the role" in sluice.cli_output("sluice-hosts")
        assert "needs the role" in sluice.cli_output("sluice-tenant-set", "gold", "--weight", "9")
    finally:
        sluice.users.write_text(before)
    assert len(json.loads(sluice.cli("sluice-tenants", "-j"))["tenants"]) >= len(TENANTS)
