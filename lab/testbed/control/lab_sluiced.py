# SPDX-License-Identifier: Apache-2.0
"""The lab's own sluiced: Sluice without an SDN controller."""

import contextlib
import subprocess
import time

from testbed.control import certificates, controller
from testbed.control.lab_controller import LabController
from testbed.control.sluiced import Sluiced
from testbed.system import polling, processes, processors
from testbed.system.errors import LabError

ADMINISTRATOR, READER = "admin:rocks", "guest:guest"  # of the lab's


class LabSluiced(LabController):
    """The lab's own sluiced within a run: one process, with a directory of its own."""

    title = "sluiced"
    port_names = "rest", "link"
    start_seconds = 60
    version = controller.VERSION
    administrator, reader = ADMINISTRATOR, READER

    def __init__(self, lab_run, address, environment=None):
        super().__init__(lab_run, address, environment)
        self.jar = controller.JAR
        self.settings = {}
        self.pki_directory = None
        self.launched_by = ()  # a command line before its own
        self.disk = None  # where other processes see what it stores, if that is elsewhere
        self._process = None

    @classmethod
    def within(cls, laboratory, environment=None):
        """As of every LabController, with certificates for it and for all agents."""
        own = super().within(laboratory, environment)
        own.pki_directory = certificates.make(laboratory.network, [own.address])
        return own

    @property
    def data_directory(self):
        """What it stores."""
        return self.directory / "data"

    def start(self, keeps_rules=None):
        """Start it; returns once its REST answers. keeps_rules: of no effect, it has no rules."""
        self.data_directory.mkdir(parents=True, exist_ok=True)
        self._write_configuration()
        self._began = time.monotonic()
        with open(self.directory / "sluiced.log", "ab") as log:
            self._process = subprocess.Popen(
                [*processors.SERVICE_PRIORITY, *self.launched_by, *self._command("run")],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        api = Sluiced(self)
        polling.until(
            lambda: self._answers(api),
            "sluiced's REST to answer",
            timeout_seconds=self.start_seconds,
        )
        self.boot = self.use()
        return controller.Controller(
            api, self.address, None, None, self.address, self.version, self
        )

    def stop(self, *options):
        """Stop it."""
        with contextlib.suppress(LabError):  # it has ended by itself, or was killed
            self.use()
        if self._process is not None:
            processes.stop_all([self._process.pid])
            self._process.wait()

    def status(self):
        """What its process has used, as launchers report it."""
        pid = self.pid
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            return {
                "cpuSeconds": processes.cpu_seconds(pid),
                "residentMib": processes.resident_mib(pid),
            }
        raise LabError(f"sluiced has ended: {self.last_log_line()}")
