# SPDX-License-Identifier: Apache-2.0
"""A host with an agent and one guest behind a switch port of its own."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import agent
from controller import Controller
from network import GUEST, HOSTS, Network
from sluice import REST, START_SECONDS, installed, set_properties
from waiting import eventually

GUEST_IP, GUEST_MAC = "10.0.0.3", "02:00:00:00:01:03"
PORT = 3
_SWITCH_SIDE, _BRIDGE = "s1-up", "hyper"


@contextlib.contextmanager
def running(network: Network, directory: Path, link_port: int) -> Iterator[None]:
    """The host at port 3 of s1, in the switches' namespace; its keys must exist.

    A bridge connects the guest to the uplink: a switch in user space receives packets before the
    agent's programs do, so it must not have the guest's interface itself.
    """

    def link(*arguments: str, check: bool = True) -> None:
        network.inside("sw", "ip", "link", *arguments, check=check)

    try:
        link("add", _BRIDGE, "type", "bridge")
        link("add", agent.UPLINK, "type", "veth", "peer", _SWITCH_SIDE)
        link("add", agent.GUEST_INTERFACE, "type", "veth", "peer", "eth0",
             "address", GUEST_MAC, "netns", network.namespace(GUEST))  # fmt: skip
        for name in (agent.UPLINK, agent.GUEST_INTERFACE):
            link("set", name, "master", _BRIDGE, "up")
        for name in (_BRIDGE, _SWITCH_SIDE):
            link("set", name, "up")
        network.inside(GUEST, "ip", "address", "add", f"{GUEST_IP}/24", "dev", "eth0")
        network.inside(GUEST, "ip", "link", "set", "eth0", "up")
        for name in (GUEST, "h2"):
            network.inside(
                name, "ethtool", "-K", "eth0", "tx", "off"
            )  # No switch fills in checksums.
        network.vsctl(
            "add-port", "s1", _SWITCH_SIDE, "--", "set", "interface", _SWITCH_SIDE,
            f"ofport_request={PORT}",
        )  # fmt: skip
        with agent.running(network, directory, link_port, GUEST_MAC, GUEST_IP):
            yield
    finally:
        network.vsctl("--if-exists", "del-port", "s1", _SWITCH_SIDE)
        for name in (agent.GUEST_INTERFACE, agent.UPLINK, _BRIDGE):
            link("delete", name, check=False)


@contextlib.contextmanager
def connected(
    onos: Controller, network: Network, directory: Path, link_port: int
) -> Iterator[Controller]:
    """ONOS with the application, and the host's guest attached to its switch port."""
    keys = agent.make_keys(directory, network.controller_address)
    with running(network, directory, link_port), installed(onos):
        set_properties(onos, agentLinkPort=str(link_port), **keys)

        def is_attached() -> bool:
            network.send_arp_from(GUEST, GUEST_IP, GUEST_MAC, HOSTS["h2"][0])
            endpoints = onos.get(f"{REST}/endpoints")["endpoints"]
            return any(each["attachment"] for each in endpoints)

        eventually("the guest's endpoint at its port", is_attached, START_SECONDS)
        yield onos
