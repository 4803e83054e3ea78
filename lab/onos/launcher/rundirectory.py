# SPDX-License-Identifier: Apache-2.0
"""The directory one ONOS runs in."""

import json
import shutil

from karaf.rundirectory import RunDirectory, merge_properties
from karaf.settings import Settings

from launcher import distribution
from launcher.readiness import REQUIRED_APPLICATIONS

CLUSTER_NAME = "sluice-lab"
STORAGE_PORT = 5679
_OPENFLOW_CONTROLLER = "org.onosproject.openflow.controller.impl.OpenFlowControllerImpl"


class OnosDirectory(RunDirectory):
    """A run directory with what an ONOS reads at its start, `../apps` and `../config` among it."""

    def prepare(self, settings: Settings) -> None:
        """Makes the content of a claimed directory, or refreshes a kept one's configuration."""
        if not (self.path / "apps").exists():
            shutil.copytree(distribution.HOME / "apps", self.path / "apps")
            for name in REQUIRED_APPLICATIONS:
                (self.path / "apps" / name / "active").touch()
        shutil.copytree(distribution.KARAF / "etc", self.etc, dirs_exist_ok=True)
        for folder in (self.data / "tmp", self.data / "log", self.base / "system"):
            folder.mkdir(parents=True, exist_ok=True)
        self.deploy.mkdir(exist_ok=True)
        (self.path / "VERSION").write_text(distribution.ONOS_VERSION + "\n")
        self._write_etc(settings)
        self._write_config(settings)

    def _write_etc(self, settings: Settings) -> None:
        merge_properties(
            self.etc / "org.apache.karaf.shell.cfg",
            {"sshHost": settings.bind, "sshPort": str(settings.ssh_port)},
        )
        (self.etc / "org.ops4j.pax.web.cfg").write_text(
            f"org.osgi.service.http.port = {settings.rest_port}\n"
            f"org.ops4j.pax.web.listening.addresses = {settings.bind}\n"
            "org.osgi.service.http.enabled = true\n"
            "org.osgi.service.http.secure.enabled = false\n"
            "org.ops4j.pax.web.session.timeout = 1440\n"
            "org.ops4j.pax.web.session.url = none\n"
            "org.ops4j.pax.web.config.file = ${karaf.etc}/jetty.xml\n"
        )

    def _write_config(self, settings: Settings) -> None:
        config = self.path / "config"
        config.mkdir(exist_ok=True)
        (config / "cluster.json").write_text(json.dumps(cluster(settings), indent=2) + "\n")
        components = {_OPENFLOW_CONTROLLER: {"openflowPorts": str(settings.openflow_port)}}
        for component, name, value in settings.properties:
            components.setdefault(component, {})[name] = value
        (config / "component-cfg.json").write_text(json.dumps(components, indent=2) + "\n")


def cluster(settings: Settings) -> dict:
    """What a node reads about its cluster: itself, all nodes, and where they store."""
    own = settings.reachable_address
    storage = [_member(settings.storage, STORAGE_PORT)] if settings.storage else []
    return {
        "name": CLUSTER_NAME,
        "node": _member(own, settings.cluster_port),
        "controller": [_member(each, settings.cluster_port) for each in settings.peers or (own,)],
        "storage": storage,
    }


def _member(address: str, port: int) -> dict:
    return {"id": address, "ip": address, "port": port}
