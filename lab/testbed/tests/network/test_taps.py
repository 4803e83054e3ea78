# SPDX-License-Identifier: Apache-2.0
"""Machines on taps: what crosses, and that nothing is left of them, however they end."""

import json
import time

import pytest

from testbed.network import taps
from testbed.network.namespaces import Namespace
from testbed.programs import launch
from testbed.runs import registry
from testbed.system import polling, requirements
from testbed.system.errors import LabError

# Left to those who are root by `-m "not root"`.
pytestmark = pytest.mark.root

NIC, PORT = "eth0", "vm0"


@pytest.fixture
def nodes():
    """A machine and its hypervisor, not connected yet."""
    if not requirements.may_make_namespaces():
        pytest.fail("network namespaces need root: run the tests as root")
    lab_run = registry.begin("taps")
    machine, hypervisor = (Namespace(lab_run, name) for name in ("vm1", "h1"))
    yield machine, hypervisor
    for node in (machine, hypervisor):
        Namespace.stop(node)
    registry.remove(lab_run)


def links(node):
    return {link["ifname"] for link in json.loads(node.ip_command("-j", "link", "show"))} - {"lo"}


def wait_until_gone(nodes):
    polling.until(lambda: not any(map(links, nodes)), "both taps to be gone", timeout_seconds=10)


@pytest.mark.parametrize(("kind", "segments"), [("super-packets", 0), ("multicast", 40)])
def test_super_packets_of_an_attack_cross_whole(nodes, kind, segments):
    machine, hypervisor = nodes
    taps.connect(machine, NIC, hypervisor, PORT)
    party = "02:00:00:00:00:01,10.0.0.1,fd00::1"
    before = statistics(hypervisor)
    report = json.loads(
        machine.check(
            launch.command(
                *("attack", "--device", NIC, "--kind", kind, "--rate", "200"),
                *(f"--{name}={party}" for name in ("attacker", "receiver", "victim")),
                *("--segments", str(segments)),
                *("--stop-nanos", str(time.monotonic_ns() + 2_000_000_000)),
            ),
            cwd=launch.PACKAGE_PARENT,
        )
    )
    assert report["frames"] > 0
    assert report["refused"] == 0
    virtio_header_bytes = 10
    frame_bytes = report["bytes"] // report["frames"] - virtio_header_bytes

    def arrived():
        now = statistics(hypervisor)
        packets = now["packets"] - before["packets"]
        return packets >= report["frames"] and (packets, now["bytes"] - before["bytes"])

    packets, received = polling.until(arrived, "all frames at the host", timeout_seconds=10)
    assert packets == report["frames"]
    assert received == packets * frame_bytes
    if segments:
        assert frame_bytes > segments * 1400


def statistics(hypervisor):
    return json.loads(hypervisor.ip_command("-j", "-s", "link", "show", PORT))[0]["stats64"]["rx"]


def test_a_killed_guest_leaves_nothing(nodes):
    machine, hypervisor = nodes
    program = taps.connect(machine, NIC, hypervisor, PORT)
    assert (links(machine), links(hypervisor)) == ({NIC}, {PORT})
    program.kill()
    program.wait()
    wait_until_gone(nodes)


@pytest.mark.parametrize(("node", "device"), [(0, NIC), (1, PORT)])
def test_a_guest_ends_with_its_nic_and_with_its_port(nodes, node, device):
    program = taps.connect(nodes[0], NIC, nodes[1], PORT)
    nodes[node].ip_command("link", "delete", device)
    program.wait(timeout=10)
    wait_until_gone(nodes)


def test_a_failed_start_names_the_reason_and_leaves_nothing(nodes):
    machine, hypervisor = nodes
    machine.ip_command("link", "add", NIC, "type", "veth", "peer", "name", "taken")
    with pytest.raises(LabError, match="vm1: guest: tap eth0 with virtio headers: "):
        taps.connect(machine, NIC, hypervisor, PORT)
    machine.ip_command("link", "delete", NIC)
    wait_until_gone(nodes)


def test_whether_a_machine_has_them_is_tried(monkeypatch):
    assert taps.refusal() is None
    monkeypatch.setattr(launch, "COMPILED_BINARIES", launch.DIRECTORY)
    assert "guest is missing: build it with 'make build'" in taps.refusal()
