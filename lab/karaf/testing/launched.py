# SPDX-License-Identifier: Apache-2.0
"""Drives a launcher, and its controller, as a user would."""

import json
import subprocess
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Iterable
from pathlib import Path


def call(program: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Runs a launcher; the caller checks the exit status."""
    return subprocess.run(
        [str(program), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


class Launched:
    """One controller of a launcher."""

    def __init__(
        self,
        program: Path,
        directory: Path,
        bind: str,
        ports: dict[str, int],
        settings: Iterable[str],
    ):
        self.directory = directory
        self.bind = bind
        self.ports = ports
        self._program = program
        self._start_options = ["--bind", bind, "--json"]
        for setting in settings:
            self._start_options += ["--set", setting]
        for name, port in ports.items():
            self._start_options += [f"--{name}-port", str(port)]

    def call(self, command: str, *arguments: str) -> subprocess.CompletedProcess:
        """Runs one command of the launcher on it."""
        return call(self._program, command, "--dir", str(self.directory), *arguments)

    def start(self) -> dict:
        return json.loads(self._output("start", *self._start_options))

    def stop(self, *options: str) -> None:
        self._output("stop", *options)

    def cli(self, *line: str) -> str:
        return self._output("cli", *line)

    def _output(self, command: str, *arguments: str) -> str:
        done = self.call(command, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def prepare(self, method: str, path: str, user: str) -> urllib.request.Request:
        """A request to its web server."""
        url = f"http://{self.bind}:{self.ports['rest']}/{path}"
        request = urllib.request.Request(url, method=method)
        request.add_header("Authorization", "Basic " + b64encode(user.encode()).decode())
        return request


def send(request: urllib.request.Request) -> tuple[int, bytes]:
    """Status and content of the response, whether it is a success or not."""
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()
