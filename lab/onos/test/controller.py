# SPDX-License-Identifier: Apache-2.0
"""Drives the launcher, and ONOS through REST, as a user would."""

import json
import subprocess
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def launcher(*arguments: str) -> subprocess.CompletedProcess:
    """Runs `onos`; the caller checks the exit status."""
    return subprocess.run(
        [str(LAUNCHER), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def eventually(what: str, poll: Callable[[], Any], seconds: float) -> Any:
    """Returns the first true value of `poll`; fails with its last one at the deadline."""
    deadline = time.monotonic() + seconds
    while True:
        value = poll()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s, last value: {value!r}"
        time.sleep(0.1)


class Controller:
    """One ONOS of the launcher."""

    def __init__(self, directory: Path, bind: str, ports: dict[str, int]):
        self.directory = directory
        self.bind = bind
        self.ports = ports
        self._options = ["--dir", str(directory)]
        self._start_options = ["--bind", bind, "--json"]
        for setting in (PRESET, *READINGS):
            self._start_options += ["--set", setting]
        for name, port in ports.items():
            self._start_options += [f"--{name}-port", str(port)]

    def start(self) -> dict:
        done = launcher("start", *self._options, *self._start_options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def stop(self, *options: str) -> None:
        done = launcher("stop", *self._options, *options)
        assert done.returncode == 0, done.stderr

    def status(self) -> subprocess.CompletedProcess:
        return launcher("status", *self._options, "--json")

    def components(self) -> subprocess.CompletedProcess:
        return launcher("components", *self._options)

    def cli(self, *line: str) -> str:
        done = launcher("cli", *self._options, *line)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def cli_output(self, *line: str) -> str:
        """What a command prints, whether it succeeds or not."""
        done = launcher("cli", *self._options, *line)
        return done.stdout + done.stderr

    def log(self) -> str:
        return launcher("log", *self._options).stdout

    def headers(self, path: str) -> Any:
        """The headers of the response to a GET."""
        request = self._request("GET", path, "onos:rocks")
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.headers

    def _request(self, method: str, path: str, user: str) -> urllib.request.Request:
        url = f"http://{self.bind}:{self.ports['rest']}/onos/{path}"
        request = urllib.request.Request(url, method=method)
        request.add_header("Authorization", "Basic " + b64encode(user.encode()).decode())
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
        try:
            with urllib.request.urlopen(request, timeout=20) as response:
                status, text = response.status, response.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        try:
            return status, json.loads(text) if text else None
        except ValueError:
            return status, text.decode(errors="replace")
