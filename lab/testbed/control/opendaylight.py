# SPDX-License-Identifier: Apache-2.0
"""The lab's OpenDaylight, as an experiment uses it: by RESTCONF, its shell and its files."""

import json
import re
import shlex

from testbed.control.rest import Rest, RestError
from testbed.control.sluice import documented_settings

COMPONENT = "org.sluice"
SHELL_SECONDS, INSTALL_SECONDS = 40, 90
_NODES = "/rests/data/opendaylight-inventory:nodes?content=nonconfig&depth=3"
_TOPOLOGY = "/rests/data/network-topology:network-topology/topology=flow%3A1?content=nonconfig"
_NO_DATA = 404, 409
_SHOWN = re.compile(r"^\s*(?P<name>\w+) = (?P<value>.*)$", re.MULTILINE)


class OpenDaylight(Rest):
    """One OpenDaylight of the lab's; requests go to the REST of applications, by Karaf's user.

    Its switches and ports have the names that Sluice gives them.
    """

    title = "OpenDaylight"
    sluice_path = "/sluice"
    administrator = reader = "karaf:karaf"
    # It sends probes, but Sluice has switches return them.
    finds_links_by_itself = False
    reads_counters_for_sluice = True

    def __init__(self, lab_opendaylight):
        super().__init__(lab_opendaylight.url, *self.administrator.split(":"))
        self._lab = lab_opendaylight
        self._restconf = Rest(lab_opendaylight.url, "admin", "admin")

    def version(self):
        """Its release line."""
        return self._lab.status()["line"]

    def application_state(self, name):
        """ACTIVE; None when it is not installed."""
        return "ACTIVE" if any(self._lab.archives.glob("*.kar")) else None

    def install(self, archive):
        """Install an application from its .kar file."""
        self._lab.call(
            *("install", str(archive), "--timeout", str(INSTALL_SECONDS)),
            timeout_seconds=INSTALL_SECONDS + SHELL_SECONDS,
        )

    def deactivate(self, name):
        """Remove the application: it cannot be there without being active."""
        for archive in self._lab.archives.glob("*.kar"):
            self._lab.call("uninstall", archive.stem, timeout_seconds=INSTALL_SECONDS)

    def uninstall(self, name):
        """Remove what the operator wrote for the application."""
        self._document.unlink(missing_ok=True)
        self._shell(f"config:delete {COMPONENT}")

    def properties(self, component):
        """What was set {name: value}, and where Sluice is installed its defaults."""
        shown = self._shell(f"config:property-list --pid {COMPONENT}")
        defaults = documented_settings() if self.application_state(component) else {}
        return defaults | dict(_SHOWN.findall(shown))

    def set_properties(self, component, values):
        """Change some of Sluice's properties."""
        for name, value in values.items():
            self._shell(f"config:property-set --pid {COMPONENT} {name} {shlex.quote(str(value))}")

    preset_properties = set_properties

    def network_configuration(self, application):
        """The operator's document; {} for none."""
        return json.loads(self._document.read_text()) if self._document.exists() else {}

    def set_network_configuration(self, application, key, value):
        """Write the operator's document, which Sluice reads again when it changes."""
        self._document.write_text(json.dumps(value))

    def devices(self, timeout_seconds=20):
        """{id of a switch: True}; it forgets those that are not connected."""
        found = self._data(_NODES, timeout_seconds).get("opendaylight-inventory:nodes", {})
        return {_device(node["id"]): True for node in found.get("node", [])}

    def hosts(self):
        """None: it has no store of hosts."""
        return []

    def links(self):
        """[(from port, to port)] as DEVICE/PORT."""
        topologies = self._data(_TOPOLOGY).get("network-topology:topology", [])
        return [
            (_port(link["source"]["source-tp"]), _port(link["destination"]["dest-tp"]))
            for topology in topologies
            for link in topology.get("link", [])
        ]

    @property
    def _document(self):
        return self._lab.settings / "sluice.netcfg"

    def _data(self, path, timeout_seconds=20):
        try:
            return self._restconf.request("GET", path, timeout_seconds=timeout_seconds)
        except RestError as refused:
            if refused.status in _NO_DATA:
                return {}
            raise

    def _shell(self, command):
        return self._lab.call("cli", command, timeout_seconds=SHELL_SECONDS)


def _device(node):
    """Sluice's name of the node openflow:10."""
    return f"of:{int(node.removeprefix('openflow:')):016x}"


def _port(connector):
    """Sluice's name of the port openflow:10:2."""
    node, _, number = connector.rpartition(":")
    return f"{_device(node)}/{number}"
