# SPDX-License-Identifier: Apache-2.0
"""Addresses and numbers of the dumbbell: the one place that knows them."""

from dataclasses import dataclass

SENDERS = ("h1", "h2", "h3", "h4")
RECEIVER = "h5"
HOSTS = (*SENDERS, RECEIVER)
WIRE_PORT = 5
RECEIVER_PORT = 1


@dataclass(frozen=True)
class Endpoint:
    """One virtual machine: its host's name, addresses and the switch port of that host."""

    host: str
    ip: str
    mac: str
    switch: str
    port: int


def endpoint(host):
    """The endpoint behind a host of the dumbbell (h1 .. h5)."""
    number = HOSTS.index(host) + 1
    at_receiver = host == RECEIVER
    return Endpoint(
        host=host,
        ip=f"10.0.0.{number}",
        mac=f"02:00:00:00:01:{number:02x}",
        switch="s2" if at_receiver else "s1",
        port=RECEIVER_PORT if at_receiver else number,
    )


def routes(switch):
    """{IP address: output port} of a switch (s1 or s2)."""
    all_endpoints = [endpoint(host) for host in HOSTS]
    return {e.ip: e.port if e.switch == switch else WIRE_PORT for e in all_endpoints}
