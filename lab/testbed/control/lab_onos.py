# SPDX-License-Identifier: Apache-2.0
"""The lab's own ONOS, started and stopped by its launcher."""

import contextlib
import json
import os
import signal

from testbed.control.controller import DEFAULT_PASSWORD, DEFAULT_USER, Controller
from testbed.control.onos import Onos
from testbed.network.controller_access import free_ports
from testbed.system import polling, processes, processors, repository
from testbed.system.errors import LabError
from testbed.system.shell import run

LAUNCHER = repository.ROOT / "lab" / "onos" / "onos"
START_SECONDS = 240
# Whether ONOS keeps flow rules that its store does not have, such as those before its restart.
ALLOW_EXTRANEOUS_RULES = "org.onosproject.net.flow.impl.FlowRuleManager:allowExtraneousRules"


class LabOnos:
    """The lab's own ONOS within a run, on the management network's address and own ports."""

    def __init__(self, lab_run, address, environment=None):
        self.lab_run = lab_run
        self.environment = {**lab_run.environment, **(environment or {})}
        self.address = address
        self.directory = lab_run.onos_directory
        rest, ssh, openflow, cluster = free_ports(4)
        self.ports = {"rest": rest, "ssh": ssh, "openflow": openflow, "cluster": cluster}

    @classmethod
    def within(cls, laboratory, environment=None):
        """One on a laboratory's management network, stopped when the laboratory ends.

        environment: further variables of its process.
        """
        address = laboratory.network.management.controller_address
        lab_onos = cls(laboratory.lab_run, address, environment)
        laboratory.cleanup.callback(lab_onos.stop_if_started)
        return lab_onos

    def start(self, *properties):
        """Start it; returns once its REST answers and its applications are active.

        properties: "COMPONENT:PROPERTY=VALUE" settings to start with.
        """
        arguments = ["start", "--dir", str(self.directory), "--bind", self.address]
        for name, number in self.ports.items():
            arguments += [f"--{name}-port", str(number)]
        for setting in properties:
            arguments += ["--set", setting]
        self._call(*arguments, timeout_seconds=START_SECONDS)
        onos = Onos(f"http://{self.address}:{self.ports['rest']}", DEFAULT_USER, DEFAULT_PASSWORD)
        return Controller(
            onos,
            self.address,
            self.ports["openflow"],
            self.ports["ssh"],
            self.address,
            onos.version(),
            is_external=False,
        )

    def stop(self, *options):
        """Stop it."""
        self._call("stop", "--dir", str(self.directory), *options, timeout_seconds=60)

    @property
    def pid(self):
        """The process id of its JVM, from the record that start() wrote."""
        record = json.loads((self.directory / "run.json").read_text(encoding="utf-8"))
        return record["pid"]

    def kill(self):
        """End it by SIGKILL, like a power failure; its files stay."""
        pid = self.pid
        os.kill(pid, signal.SIGKILL)
        polling.until(
            lambda: processes.start_ticks(pid) is None,
            "ONOS's process to end",
            timeout_seconds=10,
        )

    def stop_if_started(self):
        """Stop it if it was started; removing the run removes whatever is left of it."""
        with contextlib.suppress(LabError):
            self.stop()

    def _call(self, *arguments, timeout_seconds):
        run(
            [*processors.SERVICE_PRIORITY, str(LAUNCHER), *arguments],
            env=self.environment,
            timeout_seconds=timeout_seconds,
        )
