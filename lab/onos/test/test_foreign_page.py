# SPDX-License-Identifier: Apache-2.0
"""A page of another port of the same address, in Chromium, whose user is logged in to Sluice."""

import http.client
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import browser
import pytest
from controller import Controller
from sluice import REST, START_SECONDS, installed
from waiting import eventually

# What a page may send to another origin by itself, and what browsers ask leave for.
REQUESTS = """async (root) => {
    const without_type = new Blob(['{"id": "untyped"}']);
    const send = (path, request) =>
        fetch(root + path, {credentials: "include", ...request}).then(
            (answer) => answer.type, (refused) => refused.name);
    return [
        await send("/tenants", {method: "POST", mode: "no-cors", body: without_type}),
        await send("/tenants", {method: "POST", mode: "no-cors", body: '{"id": "plain"}'}),
        await send("/tenants", {method: "POST", body: '{"id": "json"}',
            headers: {"Content-Type": "application/json"}}),
        await send("/tenants/kept", {method: "DELETE", headers: {"X-Requested-With": "x"}}),
    ];
}"""
SENT = ["opaque", "opaque", "TypeError", "TypeError"]
FORM = """(root) => {
    document.body.innerHTML = `<form method="post" enctype="text/plain" action="${root}/tenants">
        <input name='{"id": "form", "ecn": "' value='"}'></form>`;
    document.forms[0].submit();
}"""
FRAME = """(page) => new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.onload = () => done(frame);
    frame.src = page;
    document.body.append(frame);
})"""


@pytest.fixture(scope="module")
def sluice(onos: Controller) -> Iterator[Controller]:
    with installed(onos):
        page = "sluice/ui/index.html"
        eventually("the page", lambda: onos.request("GET", page)[0] == 200, START_SECONDS)
        assert onos.request("PUT", f"{REST}/tenants/kept", {})[0] in (200, 201)
        yield onos
        assert onos.request("DELETE", f"{REST}/tenants/kept")[0] == 204


class _Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><body>another page</body>")

    def log_message(self, *_):
        """Nothing: the test reports what failed."""


@pytest.fixture
def foreign(sluice: Controller) -> Iterator[str]:
    """The address of the other page."""
    server = ThreadingHTTPServer((sluice.bind, 0), _Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://{sluice.bind}:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _tenants(sluice: Controller) -> set[str]:
    return {each["id"] for each in sluice.get(f"{REST}/tenants")["tenants"]}


def test_another_page_changes_nothing(sluice: Controller, foreign: str):
    before = _tenants(sluice)
    with browser.opened(sluice) as page:
        page.show("Tenants")
        page.row("Tenants", "kept")  # the browser has the password
        assert page.elsewhere(foreign, REQUESTS, _root(sluice)) == SENT
        page.elsewhere(foreign, FORM, _root(sluice), leaves=True)
        assert _tenants(sluice) == before


def test_no_page_shows_sluice_in_a_frame(sluice: Controller, foreign: str):
    with browser.opened(sluice) as page:
        page.elsewhere(foreign, FRAME, _address(sluice, "/onos/sluice/ui/"))
        assert page.frames() == [foreign, "chrome-error://chromewebdata/"]


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
