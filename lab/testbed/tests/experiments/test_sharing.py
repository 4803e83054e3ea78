# SPDX-License-Identifier: Apache-2.0
"""Parts, their expected shares, the wires of streams, and the report."""

import pytest

from testbed.experiments.sharing import partial, stream_placement, streams
from testbed.experiments.sharing import report as sharing_report
from testbed.experiments.sharing.streams import (
    Stage,
    StageResult,
    Stream,
    StreamResult,
    WireResult,
)
from testbed.network import plan
from testbed.programs import stream_counter
from testbed.system.processors import CpuUse

LONG_TCP, LONG_UDP = Stream("h1", "h6", "tcp"), Stream("h2", "h6", "udp")
NEAR, FAR = Stream("h3", "h5", "udp"), Stream("h4", "h6", "tcp")
BOTH = frozenset({"s1-s2", "s2-s3"})
QUEUE = {"p50Packets": 4, "p99Packets": 9, "markedPackets": 1, "droppedPackets": 0}


def stream_result(stream, wires, rate_mbps):
    connection = {"rttMillis": 5.0} if stream.transport == "tcp" else None
    return StreamResult(stream, frozenset(wires), rate_mbps, connection)


def stage_result(rates, *, enforced=True, moved=(), unplaced=(), capacities=None):
    capacities = capacities or {"s1-s2": 50.0, "s2-s3": 30.0}
    results = [
        stream_result(LONG_TCP, BOTH, rates[0]),
        stream_result(LONG_UDP, BOTH, rates[1]),
        stream_result(NEAR, {"s1-s2"}, rates[2]),
        stream_result(FAR, {"s2-s3"}, rates[3]),
    ]
    parts = streams.parts_of(results, {}, capacities)
    full = streams.saturated_wires(parts, capacities)
    wires = [
        WireResult(name, capacity, 0.97, name in full, QUEUE)
        for name, capacity in capacities.items()
    ]
    stage = Stage("equal", 10, enforced=enforced)
    return StageResult(stage, results, parts, wires, CpuUse(0.4), list(moved), list(unplaced))


def test_the_narrow_link_limits_long_flows_and_the_near_flow_gets_the_rest():
    result = stage_result([9, 10, 31, 10])
    assert [part.expected_mbps for part in result.parts] == pytest.approx([10, 10, 30, 10])
    assert [round(part.share, 2) for part in result.parts] == [0.9, 1.0, 1.03, 1.0]
    assert result.parts[0].name == "h1 over s1-s2 + s2-s3"
    assert all(wire.is_saturated for wire in result.wires)


def test_streams_of_an_endpoint_over_the_same_wire_are_one_part():
    results = [
        stream_result(Stream("h1", "h4", "tcp"), {"s1-s3"}, 4),
        stream_result(Stream("h1", "h5", "tcp"), {"s1-s3"}, 6),
        stream_result(Stream("h1", "h6", "tcp"), {"s1-s4"}, 20),
        stream_result(Stream("h2", "h4", "udp"), {"s1-s3"}, 9),
    ]
    parts = streams.parts_of(results, {"h1": 3}, {"s1-s3": 20, "s1-s4": 20})
    rates = {(part.host, part.wires): (part.rate_mbps, part.expected_mbps) for part in parts}
    assert rates == {
        ("h1", ("s1-s3",)): (10, pytest.approx(15)),
        ("h1", ("s1-s4",)): (20, pytest.approx(20)),
        ("h2", ("s1-s3",)): (9, pytest.approx(5)),
    }


def test_every_part_of_an_enforced_stage_is_judged():
    free = stage_result([0, 40, 10, 1], enforced=False)
    good = stage_result([9.1, 10, 31, 10.9])
    bad = stage_result([8.9, 10, 31, 11.1], moved=["h1>h6"], unplaced=["h3>h5"])
    assert sharing_report.expected([free]) == []
    assert [each.holds for each in sharing_report.expected([free, good])] == [True] * 4
    judged = sharing_report.expected([bad])
    assert [each.holds for each in judged] == [False, True, True, False, False, False]
    assert "(h3>h5)" in judged[4].name and "(h1>h6)" in judged[5].name


def test_utilisation_is_reported_of_saturated_wires_alone():
    capacities = {"s1-s2": 50.0, "s2-s3": 30.0, "s3-s4": 10.0}
    aims = sharing_report.aims([stage_result([10, 10, 30, 10], capacities=capacities)])
    assert [each.name for each in aims] == [
        "equal: utilisation of s1-s2",
        "equal: utilisation of s2-s3",
    ]


def test_document_table_and_plot(tmp_path):
    results = [stage_result([0, 40, 10, 1], enforced=False), stage_result([9.1, 10, 31, 10.9])]
    judged = sharing_report.judge(results)
    report = sharing_report.of("parking-lot", results, judged, {"law": "sluice"}, "title")
    document = report.document([])
    assert document["verdict"] == "pass"
    assert document["phases"][0]["enforcement"] == "off"
    assert document["phases"][1]["endpoints"][2] == {
        "name": "h3",
        "transport": "udp",
        "weight": 1,
        "wires": ["s1-s2"],
        "rateMbps": 31,
        "expectedMbps": 30.0,
    }
    assert "TCP's round trip in ms: h1 5.0, h4 5.0" in sharing_report.table(results)
    file = tmp_path / "deep" / "shares.png"
    sharing_report.draw(results, "title", file)
    assert file.stat().st_size > 10_000


def test_a_stream_is_where_most_of_it_passes():
    counts = {
        "s1-s3": {"10.0.0.1>10.0.0.6/tcp": 900, "10.0.0.2>10.0.0.6/udp": 100},
        "s1-s4": {"10.0.0.2>10.0.0.6/udp": 5000, "10.0.0.3>10.0.0.5/tcp": 70},
    }
    assert stream_placement.placed(counts, [LONG_TCP, LONG_UDP, NEAR]) == {
        LONG_TCP: frozenset({"s1-s3"}),
        LONG_UDP: frozenset({"s1-s4"}),
    }


def test_planned_placement_follows_shortest_paths():
    network = type("Network", (), {"plan": plan.PARKING_LOT})
    found = stream_placement.PlannedPlacement(network, [LONG_TCP, NEAR, FAR]).observe()
    assert found == {LONG_TCP: BOTH, NEAR: {"s1-s2"}, FAR: {"s2-s3"}}


@pytest.mark.parametrize(
    ("ether_type", "protocol", "stream"),
    [
        ("0800", 6, "10.0.0.1>10.0.0.6/tcp"),
        ("0800", 17, "10.0.0.1>10.0.0.6/udp"),
        ("0800", 253, None),
        ("86dd", 6, None),
    ],
)
def test_streams_are_recognised_by_their_headers(ether_type, protocol, stream):
    ip = bytes([0x45, 0, 0, 40, 0, 0, 0, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 6])
    assert stream_counter.describe(bytes(12) + bytes.fromhex(ether_type) + ip) == stream


def test_capacities_are_given_to_wires_in_their_order():
    given = plan.PARKING_LOT.with_capacities([50, 30])
    assert [link.capacity_mbps for link in given.wires] == [50, 30]
    leafy = plan.LEAF_SPINE_WIRES.with_capacities([20] * 4)
    assert [link.name for link in leafy.wires] == ["s1-s3", "s1-s4", "s2-s3", "s2-s4"]


def partial_result(rates, refused=()):
    """Rates in the order of the experiment's streams, over one wire of 60 Mbit/s."""
    results = [
        StreamResult(
            stream,
            frozenset({"s1-s2"}),
            rate,
            {"ecn": stream.source not in refused, "connectMillis": 3.0 if rate > 1 else 1003.0}
            if stream.transport == "tcp"
            else None,
        )
        for stream, rate in zip(partial.STREAMS, rates, strict=True)
    ]
    parts = streams.parts_of(results, {}, {"s1-s2": 60.0})
    return StageResult(Stage("equal", 10), results, parts, [], CpuUse(0.4), [], [])


def failing(result):
    """Names of the (expectations, aims) that do not hold."""
    return tuple(
        [each.name for each in judged if not each.holds] for judged in partial.judge([result])
    )


def test_of_a_partial_rollout_ecn_is_expected_and_shares_are_the_aim():
    assert failing(partial_result([12, 12, 11.5, 12, 5, 7])) == ([], [])
    expected, aims = failing(partial_result([12, 12, 8.9, 12, 5, 9]))
    assert expected == []
    assert aims == [
        "equal: h3 over s1-s2 / its share",
        "equal: h3 over s1-s2 / the mean of those behind agents, by weight",
    ]
    expected, _ = failing(partial_result([12, 12, 12, 12, 5, 7], refused=("h3", "h6")))
    assert expected == ["equal: connections without ECN h3>h8, h6>h8"]
    without = plan.PARTIAL.without_agents
    assert without and not without & set(plan.PARTIAL.hosts_with_agents)


def test_a_request_for_ecn_that_was_lost_is_none():
    expected, _ = failing(partial_result([12, 12, 0.5, 12, 5, 7], refused=("h3",)))
    assert expected == []
