# SPDX-License-Identifier: Apache-2.0
"""Sluice's OpenFlow endpoint without the application, reading one switch."""

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

from waiting import eventually

START_SECONDS = 20
MODULE = Path(__file__).resolve().parents[3] / "app" / "openflow"
MAIN = "org.sluice.openflow.ReadOneSwitch"


class Reader:
    """Reads one switch from entering to leaving; `now` holds its latest counts."""

    def __init__(self, address: str, port: int, datapath: str, ports: dict, meters: dict):
        self.target = f"tcp:{address}:{port}"
        self.now: dict[str, Any] = {}
        self._arguments = [address, str(port), datapath, _pairs(ports), _pairs(meters)]

    def __enter__(self) -> "Reader":
        listed = MODULE / "target" / "test.classpath"
        if not listed.exists():
            raise RuntimeError(f"{listed} is missing: run 'make build' first")
        path = [MODULE / "target" / "classes", MODULE / "target" / "test-classes"]
        self._process = subprocess.Popen(
            ["java", "-cp", ":".join([*map(str, path), listed.read_text().strip()]), MAIN,
             *self._arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._follower = threading.Thread(target=self._follow, daemon=True)
        self._follower.start()
        eventually("the endpoint to listen", lambda: self.now, START_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.write("\n")
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._follower.join()
        self._process.stdout.close()

    def _follow(self) -> None:
        for line in self._process.stdout:
            self.now = json.loads(line)


def _pairs(numbers: dict[int, int]) -> str:
    return ",".join(f"{key}:{value}" for key, value in numbers.items()) or "-"
