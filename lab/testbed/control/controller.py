# SPDX-License-Identifier: Apache-2.0
"""The controller that an experiment uses: --onos, SLUICE_ONOS, or else one of the lab's own."""

import os
import re
import urllib.parse
from dataclasses import dataclass, replace
from pathlib import Path

from testbed.control.onos import Onos
from testbed.control.sluice import APPLICATION
from testbed.network.controller_access import split_host_port
from testbed.system import repository
from testbed.system.errors import LabError

VERSION = (repository.ROOT / "VERSION").read_text().strip()
OAR = repository.ROOT / "app" / "onos" / "target" / f"sluice-{VERSION}.oar"
JAR = repository.ROOT / "app" / "standalone" / "target" / "sluiced.jar"
ONOS, OPENDAYLIGHT, STANDALONE = "onos", "odl", "standalone"
SDN_CONTROLLERS = ONOS, OPENDAYLIGHT
CONTROLLERS = *SDN_CONTROLLERS, STANDALONE
ENVIRONMENT_VARIABLE = "SLUICE_ONOS"
REQUIRED_APPLICATIONS = (
    "org.onosproject.openflow-base",
    "org.onosproject.hostprovider",
    "org.onosproject.lldpprovider",
)
CONFLICTING_APPLICATION = "org.onosproject.fwd"
OLDEST_VERSION, FIRST_UNSUPPORTED_VERSION = (2, 5), (3, 0)
DEFAULT_USER, DEFAULT_PASSWORD = "onos", "rocks"
DEFAULT_LINE = "0.17.3"
DEFAULT_OPENFLOW_PORT, DEFAULT_SSH_PORT = 6653, 8101


@dataclass(frozen=True)
class Controller:
    """A running controller and its addresses."""

    api: Onos  # or what has the same methods
    address: str
    openflow_port: int | None  # None: it has no switches
    ssh_port: int | None  # None: it has no shell
    ssh_address: str
    version: str
    own: object = None  # the LabController that it is; None: the user has named it
    peers: tuple = ()  # the Controllers of the other nodes of its cluster

    @property
    def nodes(self):
        """All of its cluster, itself first."""
        return self, *self.peers

    @property
    def is_external(self):
        """Whether the user has named it."""
        return self.own is None

    def as_json(self):
        """Its part of a result document, once it was stopped."""
        used = self.own.as_json() if self.own else {}
        return {"name": self.api.title, "version": self.version, **used}

    def __str__(self):
        return f"{self.api.title} {self.version}"


def locate(options):
    """The URL of the controller that the user names; None for the lab's own."""
    return options.onos or os.environ.get(ENVIRONMENT_VARIABLE) or None


def require_lab_onos(options, because):
    """Refuse a controller that the user names.

    because: what the experiment does to its controller, as a clause after "this experiment".
    """
    if locate(options) is not None:
        raise LabError(
            f"this experiment {because}, so it uses only the lab's ONOS: leave out --onos and"
            f" {ENVIRONMENT_VARIABLE}"
        )
    options.installed = False


def kar(release):
    """The application for a release of OpenDaylight, such as 0.17.3."""
    line = release.rpartition(".")[0]
    target = repository.ROOT / "app" / "odl" / f"line-{line}" / "target"
    return target / f"sluice-odl-{line}-{VERSION}.kar"


def archive(options):
    """The application to be installed. LabError when it was not built."""
    if options.controller != OPENDAYLIGHT and options.line is not None:
        raise LabError(f"--line {options.line}: give --controller {OPENDAYLIGHT} with it")
    chosen = options.archive or built_archive(options)
    if not Path(chosen).exists():
        raise LabError(f"{chosen} is missing: build it with 'make build'")
    return chosen


def built_archive(options):
    """The application, or the program, that is built here for the kind of controller."""
    if options.controller == OPENDAYLIGHT:
        return kar(options.line or DEFAULT_LINE)
    return OAR if options.controller == ONOS else JAR


def external(options):
    """The controller that the user names: checked, not changed."""
    if options.controller != ONOS:
        raise LabError(
            f"--controller {options.controller} is one of the lab's own: leave out --onos and"
            f" {ENVIRONMENT_VARIABLE}"
        )
    urls = locate(options).split(",")
    if len(urls) > 1 and (options.openflow or options.onos_ssh):
        raise LabError(f"'{locate(options)}' is several nodes: leave out --openflow and --onos-ssh")
    first, *others = (_external(url, options) for url in urls)
    return replace(first, peers=tuple(others))


def _external(text, options):
    url = urllib.parse.urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise LabError(f"'{text}' is not the URL of an ONOS, such as http://127.0.0.1:8181")
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
    return Controller(onos, openflow[0], openflow[1], ssh[1], ssh[0], version)


def check_version(version):
    """Raise LabError for a version of ONOS that Sluice does not support."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if not OLDEST_VERSION <= numbers < FIRST_UNSUPPORTED_VERSION:
        raise LabError(f"ONOS {version} is not supported: Sluice runs on 2.5 and later 2.x")


def check_applications(onos, installed):
    """Raise LabError unless the applications that Sluice depends on are in the right state."""
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
        raise LabError(f"--installed was given, but {APPLICATION} is {state or 'not installed'}")
    if not installed and state is not None:
        raise LabError(
            f"{APPLICATION} is on that ONOS already: give --installed to use it as it is"
        )
