# SPDX-License-Identifier: Apache-2.0
"""The faults' catalogue, what makes a finding pass, and the forged frames."""

import json
import struct
from types import SimpleNamespace

import pytest

from testbed.experiments.faults import catalogue, experiment, observation
from testbed.experiments.faults.agent_kills import OPEN_CLASS_SENT
from testbed.experiments.faults.environment import FaultEnvironment
from testbed.experiments.faults.fault import Fault
from testbed.experiments.faults.finding import Finding
from testbed.programs import frame_counter, frames
from testbed.report import expectations
from testbed.system.errors import LabError
from testbed.system.processors import CpuUse

MACS = "02:00:00:00:01:03", "02:00:00:00:01:05"
CONTROL_PROTOCOL = 253


def forged(kind):
    return frames.forged(kind, "10.0.0.3", "10.0.0.5", "10.0.0.2", MACS, CONTROL_PROTOCOL)


def test_names_are_unique_and_removal_comes_last():
    names = [fault.name for fault in catalogue.FAULTS]
    assert len(set(names)) == len(names)
    assert names[-1] == "removal"
    assert [fault.name for fault in catalogue.FAULTS if not fault.is_undone] == ["removal"]


def test_chosen_faults_keep_the_catalogues_order():
    first, *_, last = catalogue.FAULTS
    assert catalogue.chosen([last.name, first.name]) == [first, last]
    assert catalogue.chosen([]) == list(catalogue.FAULTS)


def test_without_a_slave_none_is_lost():
    assert "slave-lost" not in [fault.name for fault in catalogue.chosen([], "odl")]
    with pytest.raises(LabError, match="--only slave-lost: no such fault with odl"):
        catalogue.chosen(["slave-lost"], "odl")


@pytest.mark.parametrize(("has_slave", "roles"), [(True, ["master", "slave"]), (False, ["master"])])
def test_a_switch_has_its_controllers_by_the_kind_of_controller(has_slave, roles):
    environment = object.__new__(FaultEnvironment)
    environment.has_slave = has_slave

    def switch(connected):
        return SimpleNamespace(controllers=lambda: [("tcp:", True, role) for role in connected])

    assert environment.has_its_controllers(switch(roles))
    assert not environment.has_its_controllers(switch(["slave"]))


def test_an_unknown_fault_is_refused_with_those_that_there_are():
    with pytest.raises(LabError, match=r"--only nonsense: .*agent-killed"):
        catalogue.chosen(["nonsense"])


@pytest.mark.parametrize("is_undone", [True, False])
def test_the_network_recovers_after_each_fault_that_is_undone(is_undone):
    waited = []
    environment = SimpleNamespace(agents={}, wait_until_normal=lambda: waited.append("normal"))
    usual = expectations.below("page as usual again, s", 1, 10)
    watch = SimpleNamespace(expect_usual=lambda hosts: [usual])
    fault = Fault("name", "summary", 1, lambda _: Finding("cause"), is_undone)
    finding = experiment.make(fault, environment, watch)
    assert (waited, finding.expectations) == ((["normal"], [usual]) if is_undone else ([], []))


@pytest.mark.parametrize(
    ("gap", "idle", "leftovers", "expected"),
    [
        (30, 0.5, [], "pass"),
        (30, 0.01, [], "pass"),
        (900, 0.5, [], "fail"),
        (900, 0.01, [], "inconclusive"),
        (None, 0.5, [], "fail"),
        (30, 0.5, ["pin: x"], "fail"),
    ],
)
def test_verdict_of_a_finding(gap, idle, leftovers, expected):
    finding = Finding("cause", gap_others_millis=gap, cpu=CpuUse(idle), leftovers=leftovers)
    finding.expect_no_gap(affected_too=False)
    assert finding.verdict == expected
    document = finding.as_json("name")
    assert (document["verdict"], document["gapOthersMillis"]) == (expected, gap)
    json.dumps(document)


def test_recovery_is_judged_under_its_own_name():
    finding = Finding("cause", recovery_millis=12_000, recovery_of="start to control")
    finding.expect_recovery().expect(expectations.at_least("sessions", 1, 1))
    assert [each.holds for each in finding.expectations] == [False, True]
    assert finding.expectations[0].name == "start to control, ms"


@pytest.mark.parametrize("kind", frames.KINDS)
def test_forged_frames_are_recognised_with_what_is_forged(kind):
    frame = forged(kind)
    still = kind if kind in (frames.CONTROL, frames.MARK, frames.RESERVED) else None
    # Devices pad short frames.
    assert frames.recognise(frame + bytes(20)) == (kind, still)
    source = frame[26:30]
    assert source == bytes([10, 0, 0, 2 if kind == frames.SPOOFED else 3])


@pytest.mark.parametrize("kind", frames.KINDS)
def test_headers_of_forged_frames_have_right_checksums(kind):
    total = sum(struct.unpack_from("!10H", forged(kind), frames.ETHERNET_BYTES))
    assert (total & 0xFFFF) + (total >> 16) == 0xFFFF


def test_a_mark_that_was_cleared_arrives_without_being_forged():
    cleared = bytearray(forged(frames.MARK))
    cleared[frames.ETHERNET_BYTES + 1] &= 0xFC
    counts = {kind: {"arrived": 0, "forged": 0} for kind in frames.KINDS}
    for frame in (bytes(cleared), forged(frames.MARK), b"somebody else's", bytes(60)):
        frame_counter.count(counts, frame)
    assert counts.pop(frames.MARK) == {"arrived": 2, "forged": 1}
    assert all(each == {"arrived": 0, "forged": 0} for each in counts.values())


def test_the_open_class_is_read_among_other_classes():
    classes = (
        "class htb 51ce:20 parent 51ce:1 rate 8Kbit\n Sent 900 bytes 9 pkt (dropped 0)\n"
        "class htb 51ce:2 root leaf 2: prio 0\n Sent 4240 bytes 40 pkt (dropped 0)\n"
    )
    assert OPEN_CLASS_SENT.search(classes)[1] == "40"


def test_only_whole_samples_of_a_sink_are_read(tmp_path):
    file = tmp_path / "flows.jsonl"
    file.write_text('{}\n{"tNanos": 1, "bytes": {}}\n{"tNanos": 2, "by', encoding="utf-8")
    assert observation.last_samples(file) == [{"tNanos": 1, "bytes": {}}]
    lines = [json.dumps({"tNanos": number, "bytes": {}}) for number in range(5000)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    read = observation.last_samples(file)
    assert read[-1]["tNanos"] == 4999
    assert 1000 < len(read) < 5000
