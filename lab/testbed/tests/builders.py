# SPDX-License-Identifier: Apache-2.0
"""Results to test with."""

from testbed.control.controller import Controller
from testbed.control.onos import Onos
from testbed.flooding import phases
from testbed.flooding.phases import EndpointResult, Phase, PhaseResult, PhaseWindow
from testbed.measure import shares
from testbed.measure.series import CumulativeSeries
from testbed.system import processors

SECOND = 1_000_000_000
BOTTLENECK_MBPS = 50


IDLE_ENOUGH = processors.CpuUse(0.4)


def controller(own=None):
    """An ONOS; own: its LabController."""
    onos = Onos("http://10.9.0.1:21489", "onos", "rocks")
    return Controller(onos, "10.9.0.1", 6653, 26236, "10.9.0.1", "2.5.6", own)


def phase_result(
    name,
    goodputs,
    *,
    begin_seconds=0,
    weights=None,
    probe_p99=1.0,
    utilisation=0.97,
    cpu=IDLE_ENOUGH,
):
    """A phase in which each host of goodputs ({host: Mbit/s}) sent; h1 is TCP."""
    weights = weights or dict.fromkeys(goodputs, 1)
    phase = Phase(name, 8, flooding=len(goodputs) > 1, weights=weights)
    endpoints = []
    for host, goodput in goodputs.items():
        kind = "tcp" if host == phases.TCP_HOST else "udp"
        fair = shares.fair_share_mbps(BOTTLENECK_MBPS, weights[host], weights.values(), kind)
        transport = "tcp/cubic" if kind == "tcp" else "udp"
        endpoints.append(EndpointResult(host, transport, weights[host], goodput, fair))
    return PhaseResult(
        window=PhaseWindow(phase, begin_seconds * SECOND, 6000),
        utilisation=utilisation,
        jain=shares.jain([endpoint.share for endpoint in endpoints]),
        endpoints=endpoints,
        cpu=cpu,
        fresh_connection={"connectMillis": 1.0, "retransmits": 0, "rttMillis": 2.0},
        long_lived={"goodputMbps": 0.2, "longestStallSeconds": 0.1},
        probe={"requests": 600, "lost": 0, "p50Millis": 0.5, "p99Millis": probe_p99},
        queue={
            "p50Packets": 7,
            "p99Packets": 20,
            "markedPackets": 9,
            "droppedPackets": 0,
            "sentPackets": 99,
        },
    )


def flows_of(results):
    """Steady series of the sink that give each endpoint its goodput in every phase."""
    flows = {}
    for result in results:
        for endpoint in result.endpoints:
            name = phases.flow_of(endpoint.name, result.window)
            series = flows.setdefault(name, CumulativeSeries())
            start = series.at(1 << 62)
            bytes_a_second = endpoint.goodput_mbps * 125_000
            for second in range(9):
                instant = result.window.begin_nanos + second * SECOND - (second == 8)
                series.add(instant, start + second * bytes_a_second)
    return flows
