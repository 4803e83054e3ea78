# SPDX-License-Identifier: Apache-2.0
"""The lab's own cluster of ONOS nodes, each in a namespace, with one storage node."""

import contextlib
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from testbed.control.lab_onos import LabOnos
from testbed.network.namespaces import Namespace
from testbed.system import polling, processors
from testbed.system.errors import LabError

# What runs in a namespace of its own has the ports that everybody knows.
STOCK_PORTS = {"rest": 8181, "ssh": 8101, "openflow": 6653, "cluster": 9876}
STORED = "Bootstrapped management group"  # what a node logs once it has reached the storage node
STORED_WITHIN_SECONDS, READY_WITHIN_SECONDS = 300, 600
STORAGE_WITHIN_SECONDS = 60


class LabOnosCluster:
    """So many nodes and a storage node on a management network.

    options: further words of each node's `start`; environments: further variables of each node's
    process, by its name.
    """

    def __init__(self, lab_run, management, count, directory, options=(), environments=None):
        self.storage = StorageNode(lab_run, management, directory)
        places = []
        for number in range(1, count + 1):
            namespace = Namespace(lab_run, f"onos{number}")
            places.append((namespace, management.attach(namespace)))
        peers = ",".join(address for _, address in places)
        self.nodes = [
            LabOnosNode(
                *(lab_run, namespace, address, directory / namespace.name),
                ("--peers", peers, "--storage", self.storage.address, *options),
                (environments or {}).get(namespace.name),
            )
            for namespace, address in places
        ]

    @property
    def namespaces(self):
        """Of all nodes, and of the storage node."""
        return [self.storage.namespace, *(node.namespace for node in self.nodes)]

    def start(self):
        """Start all; the Controller of the first, with those of the others as its peers.

        A node that starts while another one is joining the storage node may stall.
        """
        self.storage.start()
        with ThreadPoolExecutor() as pool:
            starts = []
            for node in self.nodes:
                start = pool.submit(node.start)
                starts.append(start)
                polling.until(
                    lambda node=node, start=start: node.has_stored or start.done(),
                    f"{node.name} to reach the storage node",
                    timeout_seconds=STORED_WITHIN_SECONDS,
                )
            first, *others = (start.result() for start in starts)
        return replace(first, peers=tuple(others))

    def stop_if_started(self):
        """Stop all nodes, then what they store in."""
        with ThreadPoolExecutor() as pool:
            list(pool.map(LabOnosNode.stop_if_started, self.nodes))
        self.storage.stop()


class LabOnosNode(LabOnos):
    """One node of a cluster."""

    start_seconds = READY_WITHIN_SECONDS + 30

    def __init__(self, lab_run, namespace, address, directory, options, environment=None):
        super().__init__(lab_run, address, environment)
        self.namespace = namespace
        self.name = namespace.name
        self.directory = directory
        self.ports = dict(STOCK_PORTS)
        self.launched_by = namespace.inside([])
        self.start_options = ("--timeout", str(READY_WITHIN_SECONDS), *options)

    @property
    def has_stored(self):
        """Whether it has reached the storage node since it was started."""
        log = self.directory / "karaf" / "data" / "log" / "karaf.log"
        return log.exists() and STORED in log.read_text(errors="replace")


class StorageNode:
    """The Atomix that a cluster stores in."""

    def __init__(self, lab_run, management, directory):
        self.namespace = Namespace(lab_run, "storage")
        self.address = management.attach(self.namespace)
        self._directory = directory / "storage"
        self._process = None

    def start(self):
        """Start it; returns once it serves."""
        self._directory.mkdir(parents=True)
        log_file = self._directory / "storage.log"
        with open(log_file, "wb") as log:
            self._process = self.namespace.popen(
                [
                    *(*processors.SERVICE_PRIORITY, str(LabOnos.launcher), "storage"),
                    *("--dir", str(self._directory), "--bind", self.address),
                ],
                stdout=log,
                stderr=log,
            )
        polling.until(
            lambda: self._has_ended or "ready" in log_file.read_text().split(),
            f"the storage node; its log is {log_file}",
            timeout_seconds=STORAGE_WITHIN_SECONDS,
        )
        if self._has_ended:
            raise LabError(f"the storage node ended: {log_file.read_text().strip()[-500:]}")

    @property
    def _has_ended(self):
        return self._process.poll() is not None

    def pause(self):
        """Have it answer nobody, until it goes on."""
        os.kill(self._process.pid, signal.SIGSTOP)

    def resume(self):
        """Have it go on."""
        os.kill(self._process.pid, signal.SIGCONT)

    def stop(self):
        """End it."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self.resume()
            self._process.kill()
            self._process.wait()
            self._process = None
