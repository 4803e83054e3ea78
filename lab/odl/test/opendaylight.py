# SPDX-License-Identifier: Apache-2.0
"""Drives the launcher, and OpenDaylight through RESTCONF, as a user would."""

import base64
import json
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

LAUNCHER = Path(__file__).resolve().parent.parent / "odl"
PRESET = "org.opendaylight.openflowplugin:barrier-interval-timeout-limit=7"


def launcher(*arguments: str) -> subprocess.CompletedProcess:
    """Runs `odl`; the caller checks the exit status."""
    return subprocess.run(
        [str(LAUNCHER), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


class OpenDaylight:
    """One OpenDaylight of the launcher."""

    def __init__(self, directory: Path, bind: str, ports: dict[str, int]):
        self.directory = directory
        self.bind = bind
        self.ports = ports

    def start(self) -> dict:
        ports = [
            text for name, port in self.ports.items() for text in (f"--{name}-port", str(port))
        ]
        done = self.call("start", "--bind", self.bind, "--json", "--set", PRESET, *ports)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def call(self, command: str, *arguments: str) -> subprocess.CompletedProcess:
        """Runs one command of the launcher on it."""
        return launcher(command, "--dir", str(self.directory), *arguments)

    def cli(self, *line: str) -> str:
        done = self.call("cli", *line)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def status(self) -> dict:
        return json.loads(self.call("status", "--json").stdout)

    def restconf(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and document of a response to a request for /rests/PATH."""
        url = f"http://{self.bind}:{self.ports['rest']}/rests/{path}"
        request = urllib.request.Request(url, method=method)
        request.add_header("Authorization", "Basic " + base64.b64encode(b"admin:admin").decode())
        request.add_header("Accept", "application/yang-data+json")
        if body is not None:
            request.add_header("Content-Type", "application/yang-data+json")
            request.data = json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, timeout=20) as response:
                status, text = response.status, response.read()
        except urllib.error.HTTPError as error:
            with error:
                status, text = error.code, error.read()
        return status, json.loads(text) if text else None
