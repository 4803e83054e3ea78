# SPDX-License-Identifier: Apache-2.0
"""The lab's own sluiced: Sluice without an SDN controller."""

import contextlib
import json
import subprocess
import time

from testbed.control import certificates, controller, tenancy
from testbed.control.lab_controller import LabController
from testbed.control.sluice import documented_settings
from testbed.control.sluiced import Sluiced
from testbed.system import polling, processes, processors
from testbed.system.errors import LabError
from testbed.system.shell import run

# As its package starts it: app/standalone/packaging/sluiced.
JVM = "-XX:+UseSerialGC", "-Xmx160m", "-Xss512k", "-Xlog:disable", "-Xlog:all=error:stderr"
READ_SECONDS = 20
BAD_CONFIGURATION = 2
_CHANGED = b"Changed settings: "
ADMINISTRATOR = "admin:rocks"  # of the lab's


class LabSluiced(LabController):
    """The lab's own sluiced within a run: one process, with a directory of its own."""

    title = "sluiced"
    port_names = "rest", "link"
    start_seconds = 60
    version = controller.VERSION
    administrator = reader = ADMINISTRATOR

    def __init__(self, lab_run, address, environment=None):
        super().__init__(lab_run, address, environment)
        self.settings = {}
        self.topology = None  # a document; None: the fabric is one big switch
        self.receivers_mark = True
        self.node = "lab1"
        self.etcd = None  # the URL that nodes share; None: one node alone
        self.pki_directory = None
        self.disk = None  # where other processes see what it stores, if that is elsewhere
        self._process = None

    @classmethod
    def within(cls, laboratory, environment=None):
        """As of every LabController, with certificates for it and for all agents."""
        own = super().within(laboratory, environment)
        own.pki_directory = certificates.make(laboratory.network, [own.address])
        return own

    def expect_network(self, plan, capacity_mbps):
        """Have it know a network whose wires' queues mark, from its next start on."""
        self.topology = tenancy.topology(plan, capacity_mbps)
        self.receivers_mark = False

    @property
    def url(self):
        """The root of its REST interface, which is served in the clear on this machine alone."""
        return f"http://127.0.0.1:{self.ports['rest']}"

    @property
    def pid(self):
        """Its process."""
        return self._process.pid

    def second(self):
        """Another node that shares this one's etcd, users and certificates."""
        other = LabSluiced(self.lab_run, self.address, self.environment)
        other.archive, other.pki_directory, other.etcd = self.archive, self.pki_directory, self.etcd
        other.node = "lab2"
        other.directory = self.directory / other.node
        return other

    @property
    def data_directory(self):
        """What it stores."""
        return self.directory / "data"

    def start(self, keeps_rules=None):
        """Start it; returns once its REST answers. keeps_rules: of no effect, it has no rules."""
        self.data_directory.mkdir(parents=True, exist_ok=True)
        self._write_configuration()
        if not self._users_file.exists():
            self._add_user()
        self._began = time.monotonic()
        self._launch()
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

    def _launch(self):
        with open(self._log_file, "ab") as log:
            self._process = subprocess.Popen(
                [*processors.SERVICE_PRIORITY, *self.launched_by, *self._command("run")],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def change_settings(self, values):
        """Write settings into its configuration; returns once it has read them."""
        before = documented_settings() | self.settings
        self.settings |= {name: str(value) for name, value in values.items()}
        logged = self._log_file.stat().st_size if self._log_file.exists() else 0
        self._write_configuration()
        if self._process is not None and before != before | self.settings:
            polling.until(
                lambda: _CHANGED in self._log_file.read_bytes()[logged:],
                "sluiced to read its settings",
                timeout_seconds=READ_SECONDS,
            )

    def configuration(self):
        """The document of its configuration's file."""
        document = {
            "node": self.node,
            "dataDirectory": str(self.data_directory),
            "web": {"listen": [self.url]},
            "users": str(self._users_file),
            "receiversMark": self.receivers_mark,
            "settings": {
                "agentLinkPort": self.ports["link"],
                "agentLinkKey": str(self.pki_directory / "controller.key"),
                "agentLinkCertificate": str(self.pki_directory / "controller.pem"),
                "agentLinkTrust": str(self.pki_directory / "ca.pem"),
                **self.settings,
            },
        }
        if self.etcd is not None:
            document["etcd"] = {"endpoints": [self.etcd]}
        if self.topology is not None:
            document["topology"] = str(self._topology_file)
        return document

    def _write_configuration(self):
        # JSON is YAML.
        files = {self._configuration_file: self.configuration()}
        if self.topology is not None:
            files[self._topology_file] = self.topology
        for file, document in files.items():
            staged = file.with_suffix(".new")
            staged.write_text(json.dumps(document, indent=1), encoding="utf-8")
            staged.replace(file)

    def _add_user(self):
        name, _, password = ADMINISTRATOR.partition(":")
        words = ("users", "add", name, "--role", "admin")
        run(self._command(*words), env=self.environment, stdin=password)

    def _command(self, *words):
        configured = ("--config", str(self._configuration_file))
        # Of make build-standalone; Java passes it over where the program was built again since.
        classes = self.archive.with_name("classes.jsa")
        shared = [f"-XX:SharedArchiveFile={classes}"] if classes.exists() else []
        return ["java", *JVM, *shared, "-jar", str(self.archive), *words, *configured]

    def _answers(self, api):
        status = self._process.poll()
        if status == BAD_CONFIGURATION:
            raise SluicedEnded(self._last_log_line())
        if status is not None:
            self._launch()  # as its unit does, for example while etcd does not answer
        return api.get(f"{api.sluice_path}/v1/tenants") is not None

    def _last_log_line(self):
        lines = self._log_file.read_text(encoding="utf-8", errors="replace").splitlines()
        return next((line for line in reversed(lines) if line.strip()), "no output")

    @property
    def _configuration_file(self):
        return self.directory / "sluiced.yaml"

    @property
    def _topology_file(self):
        return self.directory / "topology.yaml"

    @property
    def _users_file(self):
        return self.directory / "users"

    @property
    def _log_file(self):
        return self.directory / "sluiced.log"

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
        raise LabError(f"sluiced has ended: {self._last_log_line()}")


class SluicedEnded(Exception):
    """sluiced ended instead of starting; not retried, unlike LabError while waiting."""

    def __init__(self, last_log_line):
        super().__init__(f"sluiced ended: {last_log_line}")
