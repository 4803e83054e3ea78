# SPDX-License-Identifier: Apache-2.0
"""A page of another port of the same address, in Chromium, whose user is logged in to Sluice."""

import http.client
import sys
from collections.abc import Iterator
from pathlib import Path

import browser
import pytest
from controller import Controller
from sluice import REST, START_SECONDS, installed
from waiting import eventually

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from testbed.control import foreign_page


@pytest.fixture(scope="module")
def sluice(onos: Controller) -> Iterator[Controller]:
    with installed(onos):
        page = "sluice/ui/index.html"
        eventually("the page", lambda: onos.request("GET", page)[0] == 200, START_SECONDS)
        assert onos.request("PUT", f"{REST}/tenants/kept", {})[0] in (200, 201)
        yield onos
        assert onos.request("DELETE", f"{REST}/tenants/kept")[0] == 204


@pytest.fixture
def foreign(sluice: Controller) -> Iterator[str]:
    """The address of the other page."""
    with foreign_page.served(sluice.bind) as address:
        yield address


def _tenants(sluice: Controller) -> set[str]:
    return {each["id"] for each in sluice.get(f"{REST}/tenants")["tenants"]}


def test_another_page_changes_nothing(sluice: Controller, foreign: str):
    before = _tenants(sluice)
    with browser.opened(sluice) as page:
        page.show("Tenants")
        page.row("Tenants", "kept")  # the browser has the password
        assert page.elsewhere(foreign, foreign_page.REQUESTS, _root(sluice)) == foreign_page.SENT
        page.elsewhere(foreign, foreign_page.FORM, _root(sluice), leaves=True)
        assert _tenants(sluice) == before


def test_no_page_shows_sluice_in_a_frame(sluice: Controller, foreign: str):
    with browser.opened(sluice) as page:
        page.elsewhere(foreign, foreign_page.FRAME, _address(sluice, "/onos/sluice/ui/"))
        assert page.frames() == [foreign, foreign_page.REFUSED_FRAME]


def test_the_pages_redirect_names_no_scheme_or_host(sluice: Controller):
    connection = http.client.HTTPConnection(sluice.bind, sluice.ports["rest"], timeout=20)
    try:
        proxied = {
            "Authorization": "Basic b25vczpyb2Nrcw==",
            "X-Forwarded-Proto": "https",
            "X-Forwarded-Host": "sluice.example",
        }
        connection.request("GET", "/onos/sluice/ui", headers=proxied)
        response = connection.getresponse()
        assert response.status == 302
        assert response.headers["Location"] == "/onos/sluice/ui/"
        assert response.headers["X-Frame-Options"] == "DENY"
        assert response.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    finally:
        connection.close()


def _address(sluice: Controller, path: str) -> str:
    return f"http://{sluice.bind}:{sluice.ports['rest']}{path}"


def _root(sluice: Controller) -> str:
    return _address(sluice, f"/onos/{REST}")
