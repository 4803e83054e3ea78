# SPDX-License-Identifier: Apache-2.0
"""ONOS's REST interface: what is no answer."""

import http.server
import threading

import pytest

from testbed.control.onos import Onos
from testbed.system.errors import LabError


class CutOff(http.server.BaseHTTPRequestHandler):
    """A controller that ends in the middle of an answer."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "20")
        self.end_headers()
        self.wfile.write(b'{"devices":')

    def log_message(self, *_):
        """Nothing."""


def test_a_truncated_answer_is_refused():
    with http.server.HTTPServer(("127.0.0.1", 0), CutOff) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        onos = Onos(f"http://127.0.0.1:{server.server_port}", "user", "word")
        with pytest.raises(LabError, match=r"GET http://127.0.0.1:.*/devices: IncompleteRead"):
            onos.devices()
        thread.join()
