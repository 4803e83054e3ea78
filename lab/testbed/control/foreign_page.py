# SPDX-License-Identifier: Apache-2.0
"""A page of another port of the controller's address, in the browser of who is logged in there."""

import contextlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# What a page may send to another origin by itself, and what browsers ask leave for; to the root of
# Sluice's REST interface.
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
    frame.onload = () => done(frame.src);
    frame.src = page;
    document.body.append(frame);
})"""
REFUSED_FRAME = "chrome-error://chromewebdata/"


class _Page(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><body>another page</body>")

    def log_message(self, *_):
        """Nothing: who opens it reports what failed."""


@contextlib.contextmanager
def served(address):
    """Serves it at an address; its URL."""
    server = ThreadingHTTPServer((address, 0), _Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://{address}:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
