# SPDX-License-Identifier: Apache-2.0
"""ONOS's REST interface."""

import contextlib
import urllib.request
from pathlib import Path

from testbed.control.rest import Rest, RestError


class Onos(Rest):
    """One ONOS, as an experiment uses it."""

    title = "ONOS"
    sluice_path = "/onos/sluice"
    administrator, reader = "onos:rocks", "guest:guest"  # of the lab's
    finds_links_by_itself = True
    # It polls them every few seconds: Sluice has switches connect to itself for more.
    reads_counters_for_sluice = False

    def version(self):
        """ONOS's version."""
        return self.get("/onos/v1/system")["version"]

    def application_state(self, name):
        """State of an application such as ACTIVE; None when it is not installed."""
        application = self.find(f"/onos/v1/applications/{name}")
        return None if application is None else application["state"]

    def install(self, archive):
        """Install and activate an application from its .oar file."""
        self.request(
            "POST",
            "/onos/v1/applications?activate=true",
            Path(archive).read_bytes(),
            timeout_seconds=90,
        )

    def deactivate(self, name):
        """Deactivate an application."""
        self.request("DELETE", f"/onos/v1/applications/{name}/active", timeout_seconds=60)

    def uninstall(self, name):
        """Remove an application."""
        self.request("DELETE", f"/onos/v1/applications/{name}", timeout_seconds=60)

    def properties(self, component):
        """A component's properties {name: value}; empty when it has none or does not exist."""
        answer = self.find(f"/onos/v1/configuration/{component}") or {}
        return answer.get(component, {})

    def set_properties(self, component, values):
        """Change some of a component's properties."""
        self.request("POST", f"/onos/v1/configuration/{component}", values)

    def preset_properties(self, component, values):
        """Set properties of a component that does not exist yet: it starts with them."""
        self.request("POST", f"/onos/v1/configuration/{component}?preset=true", values)

    def unset_property(self, component, name):
        """Return a property to its default."""
        self.request("DELETE", f"/onos/v1/configuration/{component}", {name: ""})

    def network_configuration(self, application):
        """An application's network configuration; {} for none."""
        return self.find(f"/onos/v1/network/configuration/apps/{application}") or {}

    def set_network_configuration(self, application, key, value):
        """Put one entry of an application's network configuration."""
        self.request("POST", f"/onos/v1/network/configuration/apps/{application}/{key}", value)

    def clear_network_configuration(self, application):
        """Remove an application's network configuration."""
        self.request("DELETE", f"/onos/v1/network/configuration/apps/{application}")

    def add_flows(self, flows):
        """Install flow rules (document of POST /flows) on behalf of another application."""
        self.request("POST", "/onos/v1/flows?appId=org.onosproject.rest", flows)

    def devices(self, timeout_seconds=20):
        """{device id: whether it is available}."""
        answer = self.request("GET", "/onos/v1/devices", timeout_seconds=timeout_seconds)
        listing = answer["devices"]
        return {device["id"]: device["available"] for device in listing}

    def master(self, device):
        """Id of the node that is a switch's master; None without one."""
        return self.get(f"/onos/v1/mastership/{device}/master").get("nodeId")

    def make_master(self, device, node):
        """Make a node a switch's master."""
        role = {"deviceId": device, "nodeId": node, "role": "MASTER"}
        self.request("PUT", "/onos/v1/mastership", role)

    def hosts(self):
        """Ids of the hosts in ONOS's store."""
        return [host["id"] for host in self.get("/onos/v1/hosts")["hosts"]]

    def links(self):
        """[(from port, to port)] as DEVICE/PORT."""
        listing = self.get("/onos/v1/links")["links"]
        ends = [(link["src"], link["dst"]) for link in listing]
        return [tuple(f"{end['device']}/{end['port']}" for end in pair) for pair in ends]

    def forget(self, kind, item):
        """Remove a device or host from ONOS's stores, if it is still there."""
        with contextlib.suppress(RestError):
            self.request("DELETE", f"/onos/v1/{kind}/{urllib.request.quote(item, safe='')}")
