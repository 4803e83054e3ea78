# SPDX-License-Identifier: Apache-2.0
"""Caps of long flows by meters of real switches, and what REST and shell show of queues."""

import json
import re
from collections.abc import Iterator

import pytest
from controller import Controller
from network import HOSTS, Network
from sluice import APPLICATION, REST, START_SECONDS, installed
from waiting import eventually

UPSTREAM, DOWNSTREAM = "of:0000000000000001/2", "of:0000000000000002/1"
DSCP = 14
OPEN_KILOBITS = 1_999_000_000
CE = 3
DESTINATION = HOSTS["h2"][0]

# The shell calls forwarding as the core does: it loads its classes by forwarding's own loader.
_SET = """
component = org.sluice.onos.platform.ForwardingComponent;
forwarding = ($.context getService ($.context getServiceReference $component));
caps = (($forwarding plane) caps);
loader = (($caps class) classLoader);
port = ($loader loadClass org.sluice.api.PortId);
address = ($loader loadClass org.sluice.api.IpAddress);
meter = ($loader loadClass org.sluice.core.spi.CapMeter);
set = ($loader loadClass java.util.Set);
list = ($loader loadClass java.util.List);
$caps set ($list of {meters})
"""
_METER = (
    '($meter of ($port parse "{up}") ($port parse "{down}") {dscp}'
    ' ($set of ($address parse "{ip}")) {rate})'
)

# Paced, so that no queue before the meter overflows.
_SEND = """
import socket, sys, time
ip, tos, packets = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
for _ in range(packets):
    sender.sendto(bytes(1400), (ip, 9))
    time.sleep(0.0005)
"""


@pytest.fixture(scope="module")
def sluice(onos: Controller, network: Network) -> Iterator[Controller]:
    eventually("a link", lambda: len(onos.get("v1/links")["links"]) == 2, START_SECONDS)
    with installed(onos):
        eventually("h2's route", lambda: _is_routed(network), START_SECONDS)
        yield onos


def _is_routed(network: Network) -> bool:
    network.send_arp("h1", DESTINATION)
    network.send_arp("h2", HOSTS["h1"][0])
    flows = network.ofctl("dump-flows", "s1")
    return any("priority=100" in line and f"nw_dst={DESTINATION}" in line for line in _lines(flows))


def _lines(listing: str) -> list[str]:
    return [line.strip() for line in listing.splitlines()]


def _set(onos: Controller, *meters: tuple[str, str, int]) -> None:
    """Has the node cap so many bit/s between these ports; 0: no cap now."""
    words = [
        _METER.format(up=up, down=down, dscp=DSCP, ip=DESTINATION, rate=rate)
        for up, down, rate in meters
    ]
    onos.cli(" ".join(_SET.format(meters=" ".join(words)).split()))


def _rule(network: Network, switch: str) -> str:
    """The rule that caps; empty if there is none."""
    capping = [
        line for line in _lines(network.ofctl("dump-flows", switch)) if "priority=110" in line
    ]
    assert len(capping) <= 1
    return capping[0] if capping else ""


def _number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    assert found, (pattern, text)
    return int(float(found[1]))


def _rate(network: Network, switch: str, meter: int) -> int:
    """What a meter lets through, kbit/s; -1 if it is not there."""
    text = network.ofctl("dump-meters", switch)
    found = re.search(rf"meter={meter} [^\n]*\n[^\n]*rate=(\d+)", text)
    return int(found[1]) if found else -1


def _counted(network: Network, switch: str, meter: int) -> tuple[int, int]:
    """Packets that a meter has had, and dropped."""
    text = network.ofctl("meter-stats", switch)
    found = re.search(
        rf"meter:{meter} .*?packet_in_count:(\d+).*?0: packet_count:(\d+)", text, re.DOTALL
    )
    assert found, text
    return int(found[1]), int(found[2])


def _send(network: Network, tos: int, packets: int) -> None:
    network.inside("h1", "/usr/bin/python3", "-c", _SEND, DESTINATION, str(tos), str(packets))


def test_nothing_is_capped_at_first_and_the_shell_shows_why(sluice: Controller):
    assert sluice.get(f"{REST}/caps") == {"caps": []}
    assert sluice.get(f"{REST}/ports/queues") == {"queues": [], "levelThresholdsBytes": []}
    assert sluice.get(f"{REST}/flows?kind=background") == {"flows": []}
    assert sluice.request("GET", f"{REST}/flows?kind=none")[0] == 400
    assert sluice.request("GET", f"{REST}/ports/{UPSTREAM}/queues")[0] == 404
    for command, key in (("queues", "queues"), ("background-flows", "flows"), ("caps", "caps")):
        assert json.loads(sluice.cli(f"sluice-{command}", "-j"))[key] == []
        assert "caps = off" in sluice.cli(f"sluice-{command}")
    assert "Queues of such a port are not reported" in sluice.cli_output("sluice-queues", UPSTREAM)


def test_a_cap_is_a_meter_that_changes_in_place(sluice: Controller, network: Network):
    _set(sluice, (UPSTREAM, DOWNSTREAM, 0))
    rule = eventually("the capping rule", lambda: _rule(network, "s1"), START_SECONDS)
    assert f"nw_dst={DESTINATION},nw_tos={DSCP << 2}" in rule
    assert "table=1" in rule
    assert rule.endswith("output:2")
    meter = _number(r"meter:(\d+)", rule)
    assert _rate(network, "s1", meter) == OPEN_KILOBITS

    for kilobits in (20_000, OPEN_KILOBITS, 1_000):
        bits = 0 if kilobits == OPEN_KILOBITS else kilobits * 1000
        _set(sluice, (UPSTREAM, DOWNSTREAM, bits))
        eventually(f"{kilobits} kbit/s", lambda k=kilobits: _rate(network, "s1", meter) == k, 10)
    later = _rule(network, "s1")
    assert _number(r"meter:(\d+)", later) == meter
    assert _number(r"duration=([\d.]+)", later) >= _number(r"duration=([\d.]+)", rule)

    _send(network, DSCP << 2, 600)  # 6.9 Mbit in about 0.5 s, into a bucket of 2
    had, dropped = _counted(network, "s1", meter)
    assert had > 500
    assert 100 < dropped < 500
    _send(network, 0, 100)
    assert _counted(network, "s1", meter)[0] < had + 100


def test_onos_polls_and_the_cap_stays(sluice: Controller, network: Network):
    """ONOS's store still has the meter's first rate, and must not give that back."""

    def meters() -> list[dict]:
        return sluice.get("v1/meters/of:0000000000000001")["meters"]

    def is_seen() -> bool:
        return any(each["packets"] > 500 and each["state"] == "ADDED" for each in meters())

    eventually("the statistics of the meter", is_seen, START_SECONDS)
    meter = _number(r"meter:(\d+)", _rule(network, "s1"))
    assert _rate(network, "s1", meter) == 1_000


def test_marked_packets_are_capped_behind_the_meter_that_counts_marks(
    sluice: Controller, network: Network
):
    """They come from another switch: through the mark meter in table 0."""
    _set(sluice, (DOWNSTREAM, UPSTREAM, 0))
    rule = eventually("the capping rule", lambda: _rule(network, "s2"), START_SECONDS)
    eventually("no rule for the other pair", lambda: not _rule(network, "s1"), START_SECONDS)
    meter = _number(r"meter:(\d+)", rule)

    def mark_rule() -> str:
        flows = _lines(network.ofctl("dump-flows", "s2"))
        return next((line for line in flows if "priority=50000,ip," in line), "")

    mark_meter = _number(r"meter:(\d+)", eventually("the mark meter", mark_rule, START_SECONDS))
    _send(network, DSCP << 2 | CE, 50)
    assert _counted(network, "s2", mark_meter)[0] >= 40
    assert _counted(network, "s2", meter)[0] >= 40


def test_a_deactivated_application_leaves_neither_rule_nor_meter(
    sluice: Controller, network: Network
):
    _set(sluice, (UPSTREAM, DOWNSTREAM, 20_000_000))
    eventually("the capping rule", lambda: _rule(network, "s1"), START_SECONDS)
    assert sluice.request("DELETE", f"v1/applications/{APPLICATION}/active")[0] < 300
    for switch in ("s1", "s2"):
        eventually("no rule", lambda s=switch: not _rule(network, s), START_SECONDS)
        eventually(
            "no meter",
            lambda s=switch: "meter=" not in network.ofctl("dump-meters", s),
            START_SECONDS,
        )
