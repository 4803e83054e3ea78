# SPDX-License-Identifier: Apache-2.0
"""Sluice's sFlow collector without the application."""

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

from waiting import eventually

START_SECONDS = 20
MODULE = Path(__file__).resolve().parents[3] / "app" / "sflow"
MAIN = "org.sluice.sflow.CollectSflow"


class Collector:
    """Collects from entering to leaving; `now` holds its latest counts and flows."""

    def __init__(self, address: str, port: int, agents: list[str]):
        self.target = f"{address}:{port}"
        self.now: dict[str, Any] = {}
        self._arguments = [address, str(port), ",".join(agents)]

    def __enter__(self) -> "Collector":
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
        eventually("the collector to listen", lambda: self.now, START_SECONDS)
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
