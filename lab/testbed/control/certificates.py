# SPDX-License-Identifier: Apache-2.0
"""Certificates for the agent link, made by lab/pki."""

from testbed.system import repository
from testbed.system.shell import run

MAKE_CERTIFICATES = repository.ROOT / "lab" / "pki" / "make-certificates"


def make(network, server_addresses):
    """Make certificates for the controller, all hosts and all wires' port agents of a run.

    Returns their directory.
    """
    directory = network.lab_run.directory / "pki"
    wires = {wire.name: network.port_id(link.left) for link, wire in network.wires.items()}
    switches = [f"{name}={port.partition('/')[0]}" for name, port in wires.items()]
    run(
        [
            str(MAKE_CERTIFICATES),
            *("--out", str(directory), "--server", *server_addresses),
            *("--host", *network.plan.hosts, *wires),
            *(("--switch", *switches) if switches else ()),
        ]
    )
    return directory


def tls_files(pki_directory, host):
    """The `tls` part of an agent's configuration."""
    return {
        "ca": str(pki_directory / "ca.pem"),
        "certificate": str(pki_directory / f"{host}.pem"),
        "key": str(pki_directory / f"{host}.key"),
    }
