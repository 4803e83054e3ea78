# SPDX-License-Identifier: Apache-2.0
"""Drives the launcher, and ONOS through REST, as a user would."""

import functools
import json
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

from launched import Launched, call, send

PRESET = "org.onosproject.net.flow.impl.FlowRuleManager:fallbackFlowPollFrequency=31"
# Every 5 or 10 s by default, which tests would wait for.
READ_EVERY_SECONDS = 1
READINGS = [
    f"org.sluice.lab.onos.openflow.{component}={READ_EVERY_SECONDS}"
    for component in (
        "device.OpenFlowDeviceProvider:portStatsPollFrequency",
        "flow.OpenFlowRuleProvider:flowPollFrequency",
        "group.OpenFlowGroupProvider:groupPollInterval",
        "meter.OpenFlowMeterProvider:meterStatsPollInterval",
    )
]
LAUNCHER = Path(__file__).resolve().parent.parent / "onos"


launcher = functools.partial(call, LAUNCHER)


class Controller(Launched):
    """One ONOS of the launcher."""

    def __init__(self, directory: Path, bind: str, ports: dict[str, int]):
        super().__init__(LAUNCHER, directory, bind, ports, [PRESET, *READINGS])

    def status(self) -> subprocess.CompletedProcess:
        return self.call("status", "--json")

    def components(self) -> subprocess.CompletedProcess:
        return self.call("components")

    def cli_output(self, *line: str) -> str:
        """What a command prints, whether it succeeds or not."""
        done = self.call("cli", *line)
        return done.stdout + done.stderr

    def log(self) -> str:
        return self.call("log").stdout

    def headers(self, path: str) -> Any:
        """The headers of the response to a GET."""
        request = self._request("GET", path, "onos:rocks")
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.headers

    def _request(self, method: str, path: str, user: str) -> urllib.request.Request:
        request = self.prepare(method, f"onos/{path}", user)
        request.add_header("X-Requested-With", "test")
        return request

    def get(self, path: str) -> Any:
        return self.request("GET", path)[1]

    @property
    def users(self) -> Path:
        """The users, their groups and roles: read anew at every login."""
        return self.directory / "karaf" / "etc" / "users.properties"

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        content: bytes | None = None,
        user: str = "onos:rocks",
        headers: dict[str, str] | None = None,
    ) -> tuple[int, Any]:
        """Sends a request for /onos/PATH, which begins with v1/ for ONOS's own REST."""
        request = self._request(method, path, user)
        if content is not None:
            request.data = content
            request.add_header("Content-Type", "application/octet-stream")
        elif body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        status, text = send(request)
        try:
            return status, json.loads(text) if text else None
        except ValueError:
            return status, text.decode(errors="replace")
