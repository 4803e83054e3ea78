# SPDX-License-Identifier: Apache-2.0
"""An etcd of one member, on this machine's loopback."""

import subprocess

from testbed.network.controller_access import accepts_connections, free_ports
from testbed.system import polling, repository
from testbed.system.errors import LabError

PROGRAM = repository.ROOT / ".tools" / "etcd" / "usr" / "bin" / "etcd"


class Etcd:
    """One within a run; what it stores stays when it is killed."""

    def __init__(self, lab_run, directory):
        if not PROGRAM.exists():
            raise LabError(f"{PROGRAM} is missing: run lab/setup")
        self._lab_run = lab_run
        self._directory = directory
        self._client_port, self._peer_port = free_ports(2)
        self._process = None

    @property
    def url(self):
        """Where clients reach it."""
        return f"http://127.0.0.1:{self._client_port}"

    def start(self):
        """Start it; returns once it accepts clients."""
        self._directory.mkdir(parents=True, exist_ok=True)
        peers = f"http://127.0.0.1:{self._peer_port}"
        with open(self._directory / "etcd.log", "ab") as log:
            self._process = subprocess.Popen(
                [
                    *(str(PROGRAM), "--name=lab", f"--data-dir={self._directory / 'data'}"),
                    *(f"--listen-client-urls={self.url}", f"--advertise-client-urls={self.url}"),
                    *(f"--listen-peer-urls={peers}", f"--initial-advertise-peer-urls={peers}"),
                    f"--initial-cluster=lab={peers}",
                ],
                env=self._lab_run.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        polling.until(
            lambda: accepts_connections("127.0.0.1", self._client_port),
            "etcd to accept clients",
            timeout_seconds=20,
        )

    def kill(self):
        """End it by SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
