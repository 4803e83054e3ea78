# SPDX-License-Identifier: Apache-2.0
"""Drives the launcher, and OpenDaylight through RESTCONF, as a user would."""

import functools
import json
from pathlib import Path
from typing import Any

from launched import Launched, call, send

LAUNCHER = Path(__file__).resolve().parent.parent / "odl"
PRESET = "org.opendaylight.openflowplugin:barrier-interval-timeout-limit=7"
launcher = functools.partial(call, LAUNCHER)


class OpenDaylight(Launched):
    """One OpenDaylight of the launcher."""

    def __init__(self, directory: Path, bind: str, ports: dict[str, int]):
        super().__init__(LAUNCHER, directory, bind, ports, [PRESET])

    def status(self) -> dict:
        return json.loads(self.call("status", "--json").stdout)

    def restconf(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and document of a response to a request for /rests/PATH."""
        status, text = self._request(
            method, f"rests/{path}", body, "admin:admin", "application/yang-data+json"
        )
        return status, json.loads(text) if text else None

    def sluice(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """The same of /sluice/v1/PATH; None for what is no JSON, such as OpenDaylight's 401."""
        status, text = self._request(
            method, f"sluice/v1/{path}", body, "karaf:karaf", "application/json"
        )
        return status, json.loads(text) if text.startswith((b"{", b"[")) else None

    def page(self) -> tuple[int, str]:
        """Status and text of Sluice's page."""
        status, text = send(self.prepare("GET", "sluice/ui/index.html", "karaf:karaf"))
        return status, text.decode()

    def _request(
        self, method: str, path: str, body: Any, user: str, form: str
    ) -> tuple[int, bytes]:
        request = self.prepare(method, path, user)
        request.add_header("Accept", form)
        request.add_header("X-Requested-With", "test")
        if body is not None:
            request.add_header("Content-Type", form)
            request.data = json.dumps(body).encode()
        return send(request)
