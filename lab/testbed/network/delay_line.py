# SPDX-License-Identifier: Apache-2.0
"""A delay line: a namespace between a hypervisor and its switch that delays packets to the host.

What the host sends is forwarded in the kernel, at once; acknowledgements, and the feedback that
receivers' agents send to the host's agent, arrive late. So both the transport's and the host loop's
round-trip times grow.
"""

import subprocess

from testbed.network.namespaces import Namespace
from testbed.programs import launch
from testbed.system import polling, processors
from testbed.system.errors import LabError

HOST_SIDE, SWITCH_SIDE = "da", "db"


class DelayLine(Namespace):
    """The namespace: da towards the hypervisor, db towards the switch."""

    def __init__(self, lab_run, host, delay_millis):
        super().__init__(lab_run, f"far-{host}")
        self.delay_millis = delay_millis

    def start(self):
        """Forward packets in both directions; both devices must exist."""
        self.check(["tc", "qdisc", "add", "dev", HOST_SIDE, "ingress"])
        self.check(
            [
                *f"tc filter add dev {HOST_SIDE} parent ffff: protocol all prio 1".split(),
                *f"u32 match u32 0 0 action mirred egress redirect dev {SWITCH_SIDE}".split(),
            ]
        )
        devices = ("--from-device", SWITCH_SIDE, "--to-device", HOST_SIDE)
        with open(self.lab_run.directory / f"{self.name}.log", "wb") as log:
            process = self.popen(
                [
                    *processors.SERVICE_PRIORITY,
                    *launch.command("delay", *devices, "--millis", f"{self.delay_millis:g}"),
                ],
                cwd=launch.PACKAGE_PARENT,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        polling.until(
            lambda: process.poll() is not None or self._is_open(),
            f"the delay of {self.name}",
            timeout_seconds=10,
        )
        if process.poll() is not None:
            raise LabError(f"the delay of {self.name} ended at once: {log.name}")

    def _is_open(self):
        """Whether the program has opened its packet sockets."""
        lines = self.check(["cat", "/proc/net/packet"]).splitlines()
        return len(lines) > 2
