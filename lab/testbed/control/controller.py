# SPDX-License-Identifier: Apache-2.0
"""Which controller an experiment runs on: a given one, SLUICE_ONOS, or the lab's own."""

import contextlib
import json
import os
import random
import re
import signal
import socket
import urllib.parse
from dataclasses import dataclass
from pathlib import Path

from testbed.control.onos import APPLICATION, Onos
from testbed.network.controller_access import split_host_port
from testbed.system import polling, processes, processors, repository
from testbed.system.errors import LabError
from testbed.system.shell import run

OAR = repository.ROOT / "app" / "onos" / "target" / "sluice-0.1.0.oar"
LAB_ONOS = repository.ROOT / "lab" / "onos" / "onos"
ENVIRONMENT_VARIABLE = "SLUICE_ONOS"
REQUIRED_APPLICATIONS = (
    "org.onosproject.openflow-base",
    "org.onosproject.hostprovider",
    "org.onosproject.lldpprovider",
)
CONFLICTING_APPLICATION = "org.onosproject.fwd"
OLDEST_VERSION, FIRST_UNSUPPORTED_VERSION = (2, 5), (3, 0)
DEFAULT_USER, DEFAULT_PASSWORD = "onos", "rocks"
DEFAULT_OPENFLOW_PORT, DEFAULT_SSH_PORT = 6653, 8101
LAB_PORT_RANGE = range(20000, 30000)
START_SECONDS = 240


@dataclass(frozen=True)
class Controller:
    """A running ONOS and the ways to it."""

    onos: Onos
    address: str
    openflow_port: int
    ssh_port: int
    ssh_address: str
    version: str
    is_foreign: bool


def locate(options):
    """The URL of the controller that the user wants; None for the lab's own."""
    return options.onos or os.environ.get(ENVIRONMENT_VARIABLE) or None


def require_lab_onos(options, because):
    """Refuse a controller that the user names.

    because: what the experiment does to its controller, as a clause after "this experiment".
    """
    if locate(options) is not None:
        raise LabError(
            f"this experiment {because}, so it uses the lab's ONOS alone: leave out --onos and"
            f" {ENVIRONMENT_VARIABLE}"
        )
    options.installed = False


def foreign(options):
    """A controller that is not ours: checked, not changed."""
    url = urllib.parse.urlsplit(locate(options))
    if url.scheme not in ("http", "https") or not url.hostname:
        raise LabError(
            f"'{locate(options)}' is not the URL of an ONOS, such as http://127.0.0.1:8181"
        )
    user, _, password = (options.user or "").partition(":")
    onos = Onos(
        f"{url.scheme}://{url.hostname}:{url.port or 8181}",
        user or url.username or DEFAULT_USER,
        password or url.password or DEFAULT_PASSWORD,
    )
    openflow = (url.hostname, DEFAULT_OPENFLOW_PORT)
    if options.openflow:
        openflow = split_host_port(options.openflow, "--openflow")
    ssh = (url.hostname, DEFAULT_SSH_PORT)
    if options.onos_ssh:
        ssh = split_host_port(options.onos_ssh, "--onos-ssh")
    version = onos.version()
    check_version(version)
    check_applications(onos, options.installed)
    return Controller(onos, openflow[0], openflow[1], ssh[1], ssh[0], version, is_foreign=True)


def check_version(version):
    """Raise LabError for an ONOS that Sluice is not made for."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if not OLDEST_VERSION <= numbers < FIRST_UNSUPPORTED_VERSION:
        raise LabError(f"ONOS {version} does not suit: Sluice runs on 2.5 and later 2.x")


def check_applications(onos, installed):
    """Raise LabError unless the applications around Sluice are as it needs them."""
    for name in REQUIRED_APPLICATIONS:
        if onos.application_state(name) != "ACTIVE":
            raise LabError(f"ONOS lacks {name}: activate it first (app activate {name})")
    if onos.application_state(CONFLICTING_APPLICATION) == "ACTIVE":
        raise LabError(
            f"{CONFLICTING_APPLICATION} is active and would install rules of its own: deactivate"
            f" it first (app deactivate {CONFLICTING_APPLICATION})"
        )
    state = onos.application_state(APPLICATION)
    if installed and state != "ACTIVE":
        raise LabError(f"--installed was said, but {APPLICATION} is {state or 'not installed'}")
    if not installed and state is not None:
        raise LabError(f"{APPLICATION} is on that ONOS already: say --installed to use it as it is")


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

        environment: variables that its process gets besides the run's.
        """
        address = laboratory.network.management.controller_address
        lab_onos = cls(laboratory.lab_run, address, environment)
        laboratory.cleanup.callback(lab_onos.stop_if_started)
        return lab_onos

    def start(self, *properties):
        """Start it, and return once its REST answers and its applications are active.

        properties: "COMPONENT:PROPERTY=VALUE" settings to start with.
        """
        words = ["start", "--dir", str(self.directory), "--bind", self.address]
        for name, number in self.ports.items():
            words += [f"--{name}-port", str(number)]
        for setting in properties:
            words += ["--set", setting]
        self._call(*words, timeout_seconds=START_SECONDS)
        onos = Onos(f"http://{self.address}:{self.ports['rest']}", DEFAULT_USER, DEFAULT_PASSWORD)
        return Controller(
            onos,
            self.address,
            self.ports["openflow"],
            self.ports["ssh"],
            self.address,
            onos.version(),
            is_foreign=False,
        )

    def stop(self, *words):
        """Stop it."""
        self._call("stop", "--dir", str(self.directory), *words, timeout_seconds=60)

    @property
    def pid(self):
        """The process id of its JVM, of which start() wrote a record."""
        record = json.loads((self.directory / "run.json").read_text(encoding="utf-8"))
        return record["pid"]

    def kill(self):
        """End it without any warning, as a power failure would; its files stay."""
        pid = self.pid
        os.kill(pid, signal.SIGKILL)
        polling.until(
            lambda: processes.start_ticks(pid) is None,
            "ONOS's process to be gone",
            timeout_seconds=10,
        )

    def stop_if_started(self):
        """Stop it, if it ever got so far; the run's removal takes whatever is left of it."""
        with contextlib.suppress(LabError):
            self.stop()

    def _call(self, *words, timeout_seconds):
        run(
            [*processors.SERVICE_PRIORITY, str(LAB_ONOS), *words],
            env=self.environment,
            timeout_seconds=timeout_seconds,
        )


def require_archive(path):
    """Raise LabError when the application to be installed was not built."""
    if not Path(path).exists():
        raise LabError(f"{path} is missing: build it with 'make build'")


def free_ports(count):
    """Port numbers that nothing listens on now."""
    chosen = []
    for number in random.sample(LAB_PORT_RANGE, 200):
        with socket.socket() as trial:
            try:
                trial.bind(("", number))
            except OSError:
                continue
        chosen.append(number)
        if len(chosen) == count:
            return chosen
    raise LabError("no free TCP ports between 20000 and 29999")
