# SPDX-License-Identifier: Apache-2.0
"""A host's agent in the switches' namespace, from which it reaches the controller."""

import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from network import Network
from sluice import ROOT

UPLINK = "up0"
GUEST_INTERFACE = "vm0"


BINARY = ROOT / "host-agent" / "bin" / "sluice-agent"


def lacking() -> list[str]:
    """Features that the running kernel has not, each of which the doctor names."""
    answer = subprocess.run([BINARY, "probe", "--json"], check=True, capture_output=True, text=True)
    return [each["name"] for each in json.loads(answer.stdout)["features"] if not each["present"]]


def make_keys(directory: Path, address: str, *options: str) -> dict[str, str]:
    """Makes the keys of both ends of the link; returns the controller's properties with its own."""
    subprocess.run(
        [ROOT / "lab/pki/make-certificates", "--out", directory, "--server", address,
         "--host", "h1", *options],
        check=True, capture_output=True,
    )  # fmt: skip
    return {
        "agentLinkKey": str(directory / "controller.key"),
        "agentLinkCertificate": str(directory / "controller.pem"),
        "agentLinkTrust": str(directory / "ca.pem"),
    }


@contextlib.contextmanager
def running(
    network: Network, directory: Path, link_port: int, guest_mac: str, guest_ip: str
) -> Iterator[None]:
    """The agent h1 for one guest; its interfaces and its keys must exist."""
    if not BINARY.exists():
        pytest.fail(f"{BINARY} is missing: run 'make build' first")
    guest = {"interface": GUEST_INTERFACE, "mac": guest_mac, "ips": [guest_ip]}
    configuration = {
        "host": "h1",
        "controllers": [f"{network.controller_address}:{link_port}"],
        "tls": {
            "ca": str(directory / "ca.pem"),
            "certificate": str(directory / "h1.pem"),
            "key": str(directory / "h1.key"),
        },
        "uplink": {"interface": UPLINK, "capacityMbps": 1000},
        "endpoints": {"source": "static", "static": [guest]},
        "tcpHints": {"host": True},
        "runDirectory": str(directory / "run"),
        "bpfDirectory": f"/sys/fs/bpf/sluice-onos-test-{network.run_id}",
    }
    (directory / "agent.yaml").write_text(json.dumps(configuration))
    agent = network.start_inside(
        "sw", str(BINARY), "run", "--config", str(directory / "agent.yaml")
    )
    try:
        yield
    finally:
        agent.terminate()
        agent.wait(20)
