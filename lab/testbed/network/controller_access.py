# SPDX-License-Identifier: Apache-2.0
"""How switches and agents of the management network reach a controller."""

import contextlib
import random
import socket
import subprocess

from testbed.programs import launch
from testbed.system import polling
from testbed.system.errors import LabError

PORT_RANGE = range(20000, 30000)
LOOPBACK = ("localhost", "127.0.0.1", "0.0.0.0")


def split_host_port(text, option):
    """("host", port) from HOST:PORT; LabError naming the option otherwise."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise LabError(f"{option} '{text}' is not HOST:PORT, such as 127.0.0.1:6653")
    return host, int(port)


def from_management(network, host, port):
    """HOST:PORT by which the management network reaches a controller of the root namespace.

    A controller of this machine that listens on all addresses is reached directly, as is one on the
    management network; for one that listens on the loopback alone, or runs elsewhere, a TCP relay
    is started, which ends with the run.
    """
    management = network.management
    address = management.controller_address
    if host in management.addresses.values():
        return f"{host}:{port}"
    if host == address or (
        host in LOOPBACK
        and (accepts_connections(address, port) or not accepts_connections(host, port))
    ):
        return f"{address}:{port}"
    if (host, port) not in management.relays:
        # Nodes of a cluster have the same ports, each on an address of its own.
        own_port = free_ports(1)[0] if accepts_connections(address, port) else port
        _start_relay(network, f"{address}:{own_port}", f"{host}:{port}", own_port)
        management.relays[host, port] = own_port
    return f"{address}:{management.relays[host, port]}"


def _start_relay(network, listening, target, port):
    with open(network.lab_run.directory / f"relay-{port}.log", "ab") as log:
        subprocess.Popen(
            launch.command("relay", "--listen", listening, "--to", target),
            env=network.lab_run.environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=launch.PACKAGE_PARENT,
        )
    polling.until(
        lambda: accepts_connections(network.management.controller_address, port),
        f"the relay to {target}",
        timeout_seconds=10,
    )


def accepts_connections(host, port):
    """Whether a server accepts connections there."""
    with contextlib.suppress(OSError), socket.create_connection((host, port), timeout=2):
        return True
    return False


def free_ports(count):
    """Port numbers of this machine that nothing listens on."""
    chosen = []
    for number in random.sample(PORT_RANGE, 200):
        with socket.socket() as trial:
            try:
                trial.bind(("", number))
            except OSError:
                continue
        chosen.append(number)
        if len(chosen) == count:
            return chosen
    raise LabError("no free TCP ports between 20000 and 29999")
