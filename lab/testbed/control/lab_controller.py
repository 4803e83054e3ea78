# SPDX-License-Identifier: Apache-2.0
"""A controller of the lab's own, started and stopped by its launcher."""

import contextlib
import json
import os
import signal
import time
from dataclasses import dataclass

from testbed.control.controller import Controller
from testbed.network.controller_access import free_ports
from testbed.system import polling, processes, processors
from testbed.system.errors import LabError
from testbed.system.shell import run

PORTS = "rest", "ssh", "openflow", "cluster"


@dataclass(frozen=True)
class Use:
    """What a controller's process has used by an instant; seconds: since it was started."""

    seconds: float
    cpu_seconds: float
    resident_mib: int


class LabController:
    """One within a run, on the management network's address and own ports.

    Subclasses have its name in messages (`title`), its `launcher`, how long that may take
    (`start_seconds`), and what starts it and makes its interface (`start()`).
    """

    keeps_rules_choices = (True,)  # what start() has a choice of
    port_names = PORTS
    archive = None  # the application or program that the user chooses, or what is built here
    launched_by = ()  # a command line before its launcher's, or its own
    start_options = ()  # further words of the launcher's `start`
    line = None  # a release line that the user chooses; None: the launcher's default

    def __init__(self, lab_run, address, environment=None):
        self.lab_run = lab_run
        self.environment = {**lab_run.environment, **(environment or {})}
        self.address = address
        self.directory = lab_run.controller_directory
        self.ports = dict(zip(self.port_names, free_ports(len(self.port_names)), strict=True))
        self._began = None
        self.boot = None  # Use until it was ready
        self.end = None  # Use until it was stopped, or last asked

    @classmethod
    def within(cls, laboratory, environment=None):
        """One on a laboratory's management network, stopped when the laboratory ends.

        environment: further variables of its process.
        """
        address = laboratory.network.management.controller_address
        lab_controller = cls(laboratory.lab_run, address, environment)
        laboratory.cleanup.callback(lab_controller.stop_if_started)
        return lab_controller

    @property
    def url(self):
        """The root of its REST interfaces."""
        return f"http://{self.address}:{self.ports['rest']}"

    def expect_network(self, plan, capacity_mbps):
        """Learn beforehand what it will not find by itself: nothing."""

    def launch(self, api, *properties):
        """Start it with "COMPONENT:PROPERTY=VALUE" settings; the Controller, once it is ready."""
        arguments = ["--bind", self.address, *self.start_options]
        for name, number in self.ports.items():
            arguments += [f"--{name}-port", str(number)]
        if self.line is not None:
            arguments += ["--line", self.line]
        for setting in properties:
            arguments += ["--set", setting]
        self._began = time.monotonic()
        self.call("start", *arguments, timeout_seconds=self.start_seconds)
        self.boot = self.use()
        return Controller(
            api,
            self.address,
            self.ports["openflow"],
            self.ports["ssh"],
            self.address,
            api.version(),
            self,
        )

    def stop(self, *options):
        """Stop it."""
        with contextlib.suppress(LabError):  # it has ended by itself, or was killed
            self.use()
        self.call("stop", *options, timeout_seconds=60)

    def status(self):
        """What its launcher reports about it."""
        return json.loads(self.call("status", "--json", timeout_seconds=60))

    def use(self):
        """What its process has used until now."""
        status = self.status()
        seconds = time.monotonic() - self._began
        self.end = Use(seconds, status["cpuSeconds"], status["residentMib"])
        return self.end

    @contextlib.contextmanager
    def taking(self, taken, name):
        """Context manager: adds to taken the mean number of processors that it takes meanwhile."""
        begin, before = time.monotonic(), processes.cpu_seconds(self.pid)
        yield
        used = processes.cpu_seconds(self.pid) - before
        taken[name] = round(used / (time.monotonic() - begin), 3)

    def as_json(self):
        """What its process took, for a result document: until it was ready, and from then on."""
        boot, end = self.boot, self.end
        return {
            "bootSeconds": round(boot.seconds, 1),
            "bootCpuSeconds": round(boot.cpu_seconds, 1),
            "seconds": round(end.seconds - boot.seconds, 1),
            "cpuSeconds": round(end.cpu_seconds - boot.cpu_seconds, 1),
            "residentMib": end.resident_mib,
        }

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
            f"{self.title}'s process to end",
            timeout_seconds=10,
        )

    def stop_if_started(self):
        """Stop it if it was started; removing the run removes whatever is left of it."""
        with contextlib.suppress(LabError):
            self.stop()

    def call(self, command, *arguments, timeout_seconds):
        """Run one command of its launcher; returns what that prints."""
        return run(
            [
                *(*self.launched_by, *processors.SERVICE_PRIORITY),
                *(str(self.launcher), command, "--dir", str(self.directory)),
                *arguments,
            ],
            env=self.environment,
            timeout_seconds=timeout_seconds,
        )
