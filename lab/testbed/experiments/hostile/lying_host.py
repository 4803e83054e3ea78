# SPDX-License-Identifier: Apache-2.0
"""A host that has a certificate and says to the controller whatever an attack has it say."""

import json
import subprocess
import time

from testbed.control.certificates import MAKE_CERTIFICATES
from testbed.system import polling, repository
from testbed.system.errors import LabError
from testbed.system.shell import run

BINARY = repository.ROOT / "host-agent" / "bin" / "scripted-agent"
NODE = "h10"
CAPACITY_BITS_PER_SECOND = 1
CONNECTED_SECONDS = 10


class LyingHost:
    """Context manager: one session of the host, from a namespace that reaches the controller."""

    def __init__(self, deployment, name):
        self._deployment = deployment
        self._name = name
        self._pki = deployment.pki_directory
        self._log_file = deployment.network.lab_run.directory / f"{name}.log"
        self._sequence = 0
        self._process = None

    def __enter__(self):
        if not BINARY.exists():
            raise LabError(f"{BINARY} is missing: build it with 'make build'")
        if not (self._pki / f"{self._name}.pem").exists():
            run([str(MAKE_CERTIFICATES), "--out", str(self._pki), "--host", self._name])
        with open(self._log_file, "ab") as log:
            self._process = self._deployment.network.hypervisors[NODE].popen(
                [
                    *(str(BINARY), "-controller", self._deployment.agent_links[0]),
                    *("-ca", str(self._pki / "ca.pem")),
                    *("-certificate", str(self._pki / f"{self._name}.pem")),
                    *("-key", str(self._pki / f"{self._name}.key")),
                ],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                text=True,
            )
        return self

    def __exit__(self, kind, failure, trace):
        self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def hello(self, endpoints):
        """Open the session; returns once the controller has it."""
        uplink = {
            "interface": "eth0",
            "mac": "AgAAAABm",
            "capacityBitsPerSecond": str(CAPACITY_BITS_PER_SECOND),
        }
        self.send(
            hello={
                "protocolVersion": 1,
                "host": self._name,
                "agentVersion": "scripted",
                "uplink": uplink,
                "endpoints": endpoints,
            }
        )
        polling.until(
            lambda: self._name in self._deployment.sluice.connected_hosts(),
            f"the lying host to be connected ({self._log_file})",
            timeout_seconds=CONNECTED_SECONDS,
        )

    def check_received(self):
        """Refuse to judge a lie that the controller has ceased to listen to."""
        sluice = self._deployment.sluice
        if self._name not in sluice.connected_hosts():
            raise LabError(f"the lying host's session has ended: {self._log_file}")
        for finding in sluice.doctor():
            if finding["about"] == f"host {self._name}" and "quarantine" in finding["what"]:
                raise LabError(f"nobody listens to the lying host: {finding['what']}")

    def send(self, **body):
        """Send one message."""
        self._sequence += 1
        message = {
            "instance": "66",
            "sequence": str(self._sequence),
            "monotonicNanos": str(time.monotonic_ns()),
        }
        try:
            self._process.stdin.write(json.dumps({**message, **body}) + "\n")
            self._process.stdin.flush()
        except OSError as gone:
            raise LabError(f"the lying host's session has ended: {self._log_file}") from gone


class Scene:
    """What the lie of an attack has to work with, until an instant (ns)."""

    def __init__(self, deployment, attack, end_nanos):
        self.deployment = deployment
        self._attack = attack
        self._end_nanos = end_nanos

    def log(self, text):
        """Write what happens into the progress."""
        self.deployment.progress.log(f"  {text}")

    def lying_host(self):
        """A session of a host of the attack's own: after another one it may be in quarantine."""
        return LyingHost(self.deployment, f"liar-{self._attack}")

    def every(self, seconds):
        """0, 1, 2 ... at this interval until the attack ends; what is late makes others late."""
        number, due = 0, time.monotonic_ns()
        while due < self._end_nanos:
            time.sleep(max(0, due - time.monotonic_ns()) / 1e9)
            yield number
            number += 1
            due = max(time.monotonic_ns(), due + round(seconds * 1e9))
