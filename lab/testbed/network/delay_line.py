# SPDX-License-Identifier: Apache-2.0
"""Distance: a namespace between a hypervisor and its switch that holds back what comes to the host.

What the host sends passes in the kernel, at once; acknowledgements, and what receivers' agents tell
the host's agent, come late. So both the transport's and the host loop's round trip grow.
"""

import subprocess

from testbed.network.namespaces import Namespace
from testbed.programs import launch
from testbed.system import polling, processors
from testbed.system.errors import LabError

HOST_SIDE, SWITCH_SIDE = "da", "db"


class Distance(Namespace):
    """The namespace: da towards the hypervisor, db towards the switch."""

    def __init__(self, lab_run, host, delay_millis):
        super().__init__(lab_run, f"far-{host}")
        self.delay_millis = delay_millis

    def start(self):
        """Let packets pass in both directions; needs both devices to be there."""
        self.check(["tc", "qdisc", "add", "dev", HOST_SIDE, "ingress"])
        self.check(
            [
                *f"tc filter add dev {HOST_SIDE} parent ffff: protocol all prio 1".split(),
                *"u32 match u32 0 0 action mirred egress redirect dev".split(),
                SWITCH_SIDE,
            ]
        )
        words = ("--from-device", SWITCH_SIDE, "--to-device", HOST_SIDE)
        with open(self.lab_run.directory / f"{self.name}.log", "wb") as log:
            process = self.popen(
                [
                    *processors.SERVICE_PRIORITY,
                    *launch.command("delay", *words, "--millis", f"{self.delay_millis:g}"),
                ],
                cwd=launch.PACKAGE_PARENT,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        polling.until(
            lambda: process.poll() is not None or self._is_listened_to(),
            f"the delay of {self.name}",
            timeout_seconds=10,
        )
        if process.poll() is not None:
            raise LabError(f"the delay of {self.name} ended at once: {log.name}")

    def _is_listened_to(self):
        """Whether the program has opened its packet sockets."""
        lines = self.check(["cat", "/proc/net/packet"]).splitlines()
        return len(lines) > 2
