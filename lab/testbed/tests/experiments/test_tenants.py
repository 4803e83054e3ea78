# SPDX-License-Identifier: Apache-2.0
"""The phases of tenants, what they expect, how fast changes are in force, and the report."""

from types import SimpleNamespace

import pytest

from testbed.experiments.tenants import criteria, policies, report, shares_plot, takeover
from testbed.experiments.tenants import experiment as tenants_experiment
from testbed.experiments.tenants.phases import RECEIVER, RECEIVERS, phases_for
from testbed.experiments.tenants.results import ChangeResult, IntervalResult, PhaseResult
from testbed.measure.series import CumulativeSeries
from testbed.network import plan
from testbed.system.errors import LabError
from testbed.system.processors import CpuUse

MILLI = 1_000_000
PHASES = {phase.name: phase for phase in phases_for(40)}
QUEUE = {"p50Packets": 4, "p99Packets": 9, "markedPackets": 1, "droppedPackets": 0}


def expected(name, interval=0):
    phase = PHASES[name]
    return phase.expected_mbps(phase.intervals[interval], 40)


def phase_result(name, *, factor=1.0, factors=None, changes=(), idle_halfway=None):
    """A phase in which everybody got the expected rate times a factor ({host: factor})."""
    phase = PHASES[name]
    intervals = []
    for interval in phase.intervals:
        due = phase.expected_mbps(interval, 40)
        got = {host: rate * (factors or {}).get(host, factor) for host, rate in due.items()}
        intervals.append(IntervalResult(interval, got, due, utilisation=0.97))
    curves = {sender.host: [(0.1, 1.0), (0.3, 2.0)] for sender in phase.senders}
    return PhaseResult(
        *(phase, 0, intervals, CpuUse(0.4), QUEUE, curves, {}, {}),
        changes=list(changes),
        idle_halfway_seconds=idle_halfway,
    )


def changes(name, seconds):
    made = PHASES[name].weight_changes
    return [ChangeResult(each, 0.01, late) for each, late in zip(made, seconds, strict=True)]


@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_expected_shares_of_a_40_mbit_link(kind):
    third = pytest.approx(20 / 3)
    assert expected(f"one-to-three-{kind}") == {"h1": 20, "h2": third, "h3": third, "h4": third}
    assert expected(f"idle-sibling-{kind}") == {"h1": 20, "h2": third, "h3": third, "h4": third}
    assert expected(f"idle-sibling-{kind}", 1) == {"h1": 20, "h2": 10, "h3": 10}
    assert expected(f"light-tenant-{kind}") == pytest.approx(
        {"h1": 38, "h2": 2 / 3, "h3": 2 / 3, "h4": 2 / 3}
    )
    light = dict.fromkeys(("h4", "h5", "h6", "h7", "h8"), 1)
    weighted, equal = expected(f"mixed-2:1:1-{kind}"), expected(f"mixed-equal-{kind}")
    assert weighted == pytest.approx({"h1": 17.5, "h2": 8.75, "h3": 8.75, **light})
    assert equal == pytest.approx({"h1": 35 / 3, "h2": 35 / 3, "h3": 35 / 3, **light})


def test_the_guarantee_exceeds_the_weighted_share():
    assert expected("guarantee") == pytest.approx({"h1": 25, "h2": 15})


@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_capacity_beyond_a_receive_ceiling_goes_to_others(kind):
    # 0.98 of 12 for weights 1 and 2; without the ceiling it would be 10, 20 and 10.
    due = {"h1": 3.92, "h2": 7.84, "h3": 28.24}
    assert expected(f"receive-ceiling-{kind}") == pytest.approx(due)


@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_tenants_on_one_host_share_its_uplink(kind):
    third = 20 / 3
    due = {"h8": 2 * third, "h11": third / 2, "h12": third / 2}
    assert expected(f"uplink-{kind}") == pytest.approx(due)
    assert {plan.TENANTS.host_of(name) for name in due} == {"h8"}


@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_a_tenant_has_its_ceiling_on_all_its_hosts_together(kind):
    assert expected(f"tenant-ceiling-{kind}") == pytest.approx(
        {"h1": 5, "h2": 5, "h3": 5, "h4": 10}
    )
    assert expected(f"tenant-ceiling-{kind}", 1) == pytest.approx({"h1": 7.5, "h2": 7.5, "h4": 10})
    assert PHASES[f"tenant-ceiling-{kind}"].tenants[0].document["ceilingBitsPerSecond"] == 15e6


def test_every_sender_is_a_machine_of_the_network_and_of_one_tenant():
    for phase in PHASES.values():
        hosts = [sender.host for sender in phase.senders]
        assert len(set(hosts)) == len(hosts)
        assert set(hosts) <= set(plan.TENANTS.machines) - set(RECEIVERS)
        assert plan.TENANTS.hosts[-1] == RECEIVER
        assert len({tenant.id for tenant in phase.tenants}) == len(phase.tenants)


def holds(result):
    return {each.name: each.holds for each in criteria.expected([result])}


def test_tenants_are_judged_by_the_sum_of_their_endpoints():
    uneven = {"h1": 1.0, "h2": 1.2, "h3": 0.8, "h4": 1.0}
    assert holds(phase_result("one-to-three-tcp", factors=uneven)) == {
        "one-to-three-tcp: A / its share": True,
        "one-to-three-tcp: B / its share": True,
    }
    assert not any(holds(phase_result("one-to-three-tcp", factor=0.92)).values())


def test_siblings_of_an_idle_endpoint_and_the_other_tenant_are_judged():
    result = phase_result("idle-sibling-udp", factors={"h1": 1.0, "h2": 1.2, "h3": 0.8, "h4": 1})
    assert [name for name, is_held in holds(result).items() if not is_held] == [
        "idle-sibling-udp after: B's h2 / its share",
        "idle-sibling-udp after: B's h3 / its share",
    ]
    assert holds(result)["idle-sibling-udp: A after / before"]


def test_tenants_on_one_host_are_also_compared_with_each_other():
    assert all(holds(phase_result("uplink-tcp", factor=0.95)).values())
    by_endpoints = {"h8": 0.75, "h11": 1.5, "h12": 1.5}
    assert not any(holds(phase_result("uplink-tcp", factors=by_endpoints)).values())
    result = phase_result("uplink-udp", factors={"h8": 1.03, "h11": 0.97, "h12": 0.97})
    assert [name for name, is_held in holds(result).items() if not is_held] == [
        "uplink-udp: A / B, of their weights'"
    ]


def test_the_link_need_not_be_full_if_demand_is_lower():
    names = [each.name for each in criteria.aims([phase_result("tenant-ceiling-tcp")])]
    assert not any("utilisation" in name for name in names)


def test_a_guarantee_is_a_minimum_rate():
    assert list(holds(phase_result("guarantee", factors={"h1": 1.3, "h2": 0.5})).values()) == [True]
    assert list(holds(phase_result("guarantee", factor=0.96)).values()) == [False]


def test_every_weight_change_is_judged():
    late = [0.05, 0.1, 0.199, 0.2, None, 0.01]
    result = phase_result("weight-changes", changes=changes("weight-changes", late))
    assert list(holds(result).values()) == [True, True, True, False, False, True]


def steps(rates_mbps, every_millis=100):
    """A byte counter with a rate for each interval."""
    series, count = CumulativeSeries([(0, 0)]), 0.0
    for number, rate in enumerate(rates_mbps, start=1):
        count += rate * 125 * every_millis
        series.add(number * every_millis * MILLI, count)
    return series


def test_a_changed_weight_is_in_force_once_rates_cross_the_middle():
    phase = PHASES["weight-changes"]
    first, second = phase.weight_changes[:2]
    # Sent at 500 and 1500 ms, followed at 600 and 1700.
    frames = {
        "h1": steps([20] * 6 + [30] * 11 + [20] * 8),
        "h2": steps([10] * 6 + [5] * 11 + [10] * 8),
        "h3": steps([10] * 6 + [5] * 11 + [10] * 8),
    }
    issued = [(first, 500 * MILLI, 505 * MILLI), (second, 1500 * MILLI, 1510 * MILLI)]
    found = takeover.of_changes(phase, issued, frames, 2500 * MILLI)
    assert [each.halfway_seconds for each in found] == pytest.approx([0.1, 0.2], abs=0.011)
    assert [each.request_seconds for each in found] == pytest.approx([0.005, 0.01])


def test_siblings_take_over_the_share_of_an_idle_endpoint():
    phase = PHASES["idle-sibling-udp"]
    idle = phase.idle_after_seconds
    begin = -int((idle - 1) * 1e9)  # it is idle from 1000 ms on
    frames = {
        "h1": steps([20] * 25),
        "h2": steps([20 / 3] * 13 + [10] * 12),
        "h3": steps([20 / 3] * 13 + [10] * 12),
        "h4": steps([20 / 3] * 10 + [0] * 15),
    }
    found = takeover.of_idle(phase, frames, begin, 2500 * MILLI, 40)
    assert found == pytest.approx(0.3, abs=0.011)
    assert takeover.of_idle(PHASES["guarantee"], frames, begin, 2500 * MILLI, 40) is None


class FakeSluice:
    """Records requests; endpoints are as the tenants have them."""

    def __init__(self):
        self.tenants = {}
        self.requests = []

    def put_tenant(self, tenant_id, document):
        self.requests.append(("put", tenant_id))
        self.tenants[tenant_id] = document

    def delete_tenant(self, tenant_id):
        self.requests.append(("delete", tenant_id))
        del self.tenants[tenant_id]

    def endpoints(self):
        return [
            {"ips": [member["ipPrefix"].removesuffix("/32")], "tenant": tenant_id}
            for tenant_id, document in self.tenants.items()
            for member in document["members"]
        ]


def test_policies_replace_the_tenants_of_the_phase_before():
    sluice = FakeSluice()
    for number in range(1, 13):
        sluice.put_tenant(f"t{number}", {"members": []})
    given = policies.Policies(SimpleNamespace(sluice=sluice, machines=plan.TENANTS.machines))
    given.apply(PHASES["one-to-three-tcp"].tenants)
    assert sorted(sluice.tenants) == ["t1", "t10", "t2", "t9"]
    assert [m["ipPrefix"] for m in sluice.tenants["t2"]["members"]] == [
        "10.0.0.2/32",
        "10.0.0.3/32",
        "10.0.0.4/32",
    ]
    guaranteed = PHASES["guarantee"].tenants
    given.apply(guaranteed)
    assert sluice.tenants["t1"]["guaranteeBitsPerSecond"] == 25e6
    given.limit_receiver(12)
    assert sluice.tenants["t9"]["receiveCeilingBitsPerSecond"] == 12e6
    given.limit_receiver(0)
    assert "receiveCeilingBitsPerSecond" not in sluice.tenants["t9"]
    given.change_weight(guaranteed[0], 3)
    assert sluice.tenants["t1"] == {**guaranteed[0].document, "weight": 3}


def test_document_table_and_plot(tmp_path):
    late = [0.05, 0.1, 0.15, 0.1, None, 0.01]
    results = [
        phase_result("idle-sibling-tcp", idle_halfway=0.2),
        phase_result("mixed-2:1:1-udp"),
        phase_result("guarantee"),
        phase_result("weight-changes", changes=changes("weight-changes", late)),
    ]
    document = report.of("tenants", results, {"bottleneckMbps": 40}, "title").document([])
    assert document["verdict"] == "fail"  # one weight was never in force
    assert document["phases"][0]["idleHalfwaySeconds"] == 0.2
    assert document["phases"][0]["intervals"][1]["endpoints"][1] == {
        "name": "h2",
        "rateMbps": 10,
        "expectedMbps": 10,
    }
    assert document["phases"][3]["weightChanges"][4]["halfwaySeconds"] is None
    assert [each["name"] for each in document["aims"]][-1] == "guarantee: B / its share"
    assert "A's weight becomes 3: 50 ms, 1: 100 ms" in report.table(results)
    file = tmp_path / "deep" / "tenants.png"
    shares_plot.draw(results, 40, "title", file)
    assert file.stat().st_size > 10_000


def test_a_wrong_phase_is_named_with_the_right_ones():
    with pytest.raises(LabError, match="no such phase; there are one-to-three-tcp"):
        tenants_experiment.run(SimpleNamespace(capacity=40.0, only=["none"]))
