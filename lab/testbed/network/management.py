# SPDX-License-Identifier: Apache-2.0
"""The management network: a bridge in a namespace, one link to the root namespace, a subnet."""

import ipaddress
import json

from testbed.network.namespaces import Namespace
from testbed.system.errors import LabError
from testbed.system.shell import run

CANDIDATES = [ipaddress.ip_network(f"10.9.{third}.0/24") for third in range(256)]
PREFIX_LENGTH = 24


class ManagementNetwork:
    """The only network by which switches and agents reach the controller."""

    def __init__(self, lab_run):
        self.lab_run = lab_run
        self.node = Namespace(lab_run, "mgmt")
        self.node.bridge("br0", [])
        self.subnet = self._claim_subnet()
        self._next_host = 11
        self.addresses = {}
        self.relays = {}  # port at the controller's address of the relay to a (host, port)

    @property
    def controller_address(self):
        """Address of the root namespace's end."""
        return str(self.subnet[1])

    def _claim_subnet(self):
        """Make the link to the root namespace with the first subnet that has no route.

        The subnet is checked again after the address is set: if two runs choose the same one at the
        same time, both detect it and both go on to the next.
        """
        link = self.lab_run.root_link
        self.node.ip_command(
            *f"link add up0 type veth peer name {link} netns 1".split(),
        )
        self.node.ip_command("link", "set", "up0", "master", "br0")
        self.node.ip_command("link", "set", "up0", "up")
        run(["ip", "link", "set", link, "up"])
        for subnet in CANDIDATES:
            if any(subnet.overlaps(other) for other in _routed_subnets(except_link=link)):
                continue
            address = f"{subnet[1]}/{PREFIX_LENGTH}"
            run(["ip", "address", "add", address, "dev", link])
            if not any(subnet.overlaps(other) for other in _routed_subnets(except_link=link)):
                return subnet
            run(["ip", "address", "delete", address, "dev", link])
        raise LabError("no free /24 in 10.9.0.0/16 for the management network")

    def attach(self, node, interface="mgmt0"):
        """Connect a node by a new interface with an address; returns the address."""
        address = str(self.subnet[self._next_host])
        self._next_host += 1
        peer = f"to-{node.name}"
        node.ip_command(
            *f"link add {interface} type veth peer name {peer} netns {self.node.netns}".split()
        )
        self.node.ip_command("link", "set", peer, "master", "br0")
        self.node.ip_command("link", "set", peer, "up")
        node.ip_command("address", "add", f"{address}/{PREFIX_LENGTH}", "dev", interface)
        node.ip_command("link", "set", interface, "up")
        self.addresses[node.name] = address
        return address


def _routed_subnets(except_link):
    routes = json.loads(run(["ip", "-j", "-4", "route", "show"]) or "[]")
    return [
        ipaddress.ip_network(route["dst"], strict=False)
        for route in routes
        if route["dst"] != "default" and route.get("dev") != except_link
    ]
