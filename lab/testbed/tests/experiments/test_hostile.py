# SPDX-License-Identifier: Apache-2.0
"""The attacks, how they are judged, and the report."""

import contextlib
import types
from functools import partial
from pathlib import Path

import pytest

from testbed.control.onos import RestError
from testbed.experiments.hostile import (
    attacks,
    criteria,
    lies,
    lying_host,
    report,
    shares_plot,
)
from testbed.experiments.hostile.attacks import ATTACKERS, ATTACKS, NEAR, VICTIMS
from testbed.experiments.hostile.phase_runner import of_probe
from testbed.experiments.hostile.results import AttackResult, VictimResult
from testbed.network import addresses
from testbed.network.plan import HOSTILE, TAPS, VETH
from testbed.programs import attack_frames
from testbed.system.errors import LabError
from testbed.system.processors import CpuUse

MILLI = 1_000_000
KNOWN = {attack.name: attack for attack in ATTACKS}
QUEUE = {"p50Packets": 4, "p99Packets": 9, "markedPackets": 1, "droppedPackets": 0}


def result(name, *, during=1.0, arrived=0, recovery=0.5, **further):
    victims = [VictimResult(host, 1.0, during, 2.0, 5.0, 0.0, 0.01) for host in VICTIMS]
    values = {"offered": 1.0, "misattributed": [], "false_links": 0, **further}
    return AttackResult(
        KNOWN[name], victims, CpuUse(0.4), arrived=arrived, recovery_seconds=recovery,
        queue=QUEUE, **values,
    )  # fmt: skip


def failures(*results):
    return [each.name for each in criteria.expected(results) if not each.holds]


def test_every_attack_has_frames_or_does_without():
    assert len(KNOWN) == len(ATTACKS)
    for attack in ATTACKS:
        assert attack.has_frames == (attack.name in attack_frames.KINDS)
        assert attack.senders <= len(ATTACKERS)
    assert set(attack_frames.KINDS) <= set(KNOWN)


def test_attackers_are_beside_a_victim():
    assert len(ATTACKERS) == 4
    assert {HOSTILE.host_of(name) for name in ATTACKERS} == {NEAR}


def test_rates_are_of_all_senders_together():
    rotating = KNOWN["rotating-ports"]
    assert rotating.senders == 4
    assert 4 * rotating.rate_of_each(20, VETH) * 1514 * 8 == pytest.approx(30e6)
    assert KNOWN["pairs"].rate_of_each(20, TAPS) == 2000


def test_guests_on_taps_send_full_datagrams_as_super_packets():
    assert set(attack_frames.SEGMENTED) <= set(KNOWN)
    rotating = KNOWN["rotating-ports"]
    assert rotating.segments(VETH) == KNOWN["pairs"].segments(TAPS) == 0
    segments = rotating.segments(TAPS)
    assert segments * rotating.rate_of_each(20, TAPS) == rotating.rate_of_each(20, VETH)


def test_receivers_of_attack_frames():
    assert KNOWN["pairs"].receiver == "h10"
    assert KNOWN["rotating-ports"].receiver == "h6"
    assert HOSTILE.wires_between("h1", HOSTILE.host_of("h6")) == []
    # What is forged is the victims' receiver's.
    assert KNOWN["arp-poison"].receiver == "h9"


def test_tables_are_full_before_the_victims_connect():
    flows = KNOWN["flows"]
    assert flows.rate * flows.fresh_after_seconds > 131_070
    pairs = KNOWN["pairs"]
    assert pairs.rate * pairs.fresh_after_seconds > 8192


class FakeSluice:
    def __init__(self, refusing=()):
        self.refusing = refusing
        self.tenants = []
        self.flows = []

    def put_tenant(self, name, document):
        self.tenants.append((name, document))
        if "guarantee" in self.refusing and "guaranteeBitsPerSecond" in document:
            raise RestError("PUT", name, 409, "the NIC of host liar")

    def register_flow(self, request):
        if request["sizeBytes"] in self.refusing or ("beside" in self.refusing and self.flows):
            raise RestError("POST", "/flows", 409, "cannot be met")
        self.flows.append(len(self.flows))
        return {"id": self.flows[-1]}

    def delete_flow(self, flow):
        self.flows.remove(flow)

    def flow(self, flow):
        return {"id": flow, "promised": "kept" in self.refusing}


class FakeScene:
    def __init__(self, refusing=()):
        self.deployment = types.SimpleNamespace(sluice=FakeSluice(refusing))
        self.said = []

    def log(self, text):
        pass

    @contextlib.contextmanager
    def lying_host(self):
        yield types.SimpleNamespace(
            hello=lambda endpoints: self.said.append({"hello": endpoints}),
            send=lambda **body: self.said.append(body),
            check_received=lambda: None,
        )

    def every(self, seconds):
        return range(round(2 / seconds))


def test_promises_that_keep_a_small_flow_out_fail():
    scene = FakeScene()
    assert lies.promise(scene) == []
    assert scene.deployment.sluice.flows == []  # All are withdrawn.
    # What does not fit is halved until it does.
    assert lies.promise(FakeScene([lies.PROMISED_BYTES])) == []
    (denied,) = lies.promise(FakeScene(["beside"]))
    assert denied.startswith("10 kB in an hour: ")
    (denied,) = lies.promise(FakeScene(["kept"]), given_back_seconds=0)
    assert denied == "10 promises are not sent and kept for 0 s"
    # Whoever gets no promise before the attack either proves nothing.
    with pytest.raises(RestError):
        lies.promise(FakeScene([lies.SMALL_BYTES]))
    with pytest.raises(LabError, match="nothing was promised"):
        lies.promise(FakeScene([lies.PROMISED_BYTES >> halved for halved in range(20)]))


def test_lists_swap_two_addresses():
    scene = FakeScene()
    assert lies.send_lists(scene) == []
    _, *lists = [each["event"]["endpoints"] for each in scene.said[1:]]
    assert len(scene.said) == 1 + 2 * lies.LISTS_PER_SECOND
    assert lists[0][0]["ips"] == lists[1][1]["ips"] != lists[1][0]["ips"]


def test_lists_that_are_late_do_not_come_at_once(monkeypatch):
    now = [0]
    monkeypatch.setattr(lying_host.time, "monotonic_ns", lambda: now[0])
    monkeypatch.setattr(
        lying_host.time, "sleep", lambda seconds: now.__setitem__(0, now[0] + round(seconds * 1e9))
    )
    at = []
    for number in lying_host.Scene(None, "lists", 1_000 * MILLI).every(0.1):
        at.append(now[0] // MILLI)
        now[0] += 450 * MILLI if number == 2 else 0
    assert at == [0, 100, 200, 650, 750, 850, 950]


def test_ghosts_must_not_refuse_a_guarantee():
    scene = FakeScene()
    assert lies.send_ghosts(scene) == []
    hello, report = scene.said[0]["hello"], scene.said[1]["observation"]
    assert len(hello) == len(report["pairs"]) == lies.GHOSTS
    assert hello[0]["ips"] == [report["pairs"][0]["source"]] == [lies.packed("10.1.0.1")]
    (denied,) = lies.send_ghosts(FakeScene(["guarantee"]))
    assert "liar" in denied
    name, last = scene.deployment.sluice.tenants[-1]
    assert (name, len(last["members"])) == ("t1", 1)


def test_a_lie_that_is_not_listened_to_proves_nothing():
    quarantine = {"about": "host liar-lists", "what": "It is in quarantine: 21 lists"}
    for hosts, findings, is_received in (
        (["liar-lists"], [{**quarantine, "about": "host h1"}], True),
        (["liar-lists"], [quarantine], False),
        (["h1"], [], False),
    ):
        sluice = types.SimpleNamespace(
            connected_hosts=lambda hosts=hosts: hosts, doctor=lambda findings=findings: findings
        )
        deployment = types.SimpleNamespace(
            sluice=sluice,
            pki_directory=None,
            network=types.SimpleNamespace(lab_run=types.SimpleNamespace(directory=Path("/"))),
        )
        liar = lying_host.LyingHost(deployment, "liar-lists")
        if is_received:
            liar.check_received()
        else:
            with pytest.raises(LabError, match="lying host"):
                liar.check_received()


def test_an_address_that_its_owner_is_refused_fails():
    victim = addresses.endpoint(lies.AWAY_VICTIM)
    for refused, taken in (([], []), ([victim.ip], []), ([], [victim.ip])):
        done = []
        scene = FakeScene()
        agent = types.SimpleNamespace(
            kill=partial(done.append, "kill"),
            start=partial(done.append, "start"),
            has_ended=False,
            process="running",
        )
        scene.deployment.host_agent_of = {lies.AWAY_VICTIM: agent}.get
        scene.deployment.wait_for_agents = partial(done.append, "wait")
        scene.deployment.sluice.endpoints = lambda refused=refused, taken=taken: [
            {"id": "h2/vm", "mac": victim.mac, "ips": [], "refusedIps": refused},
            {"id": "liar/tap0", "mac": lies.LIAR_MAC, "ips": taken},
        ]
        denied = lies.take_address(scene, away_seconds=0)
        assert done == ["kill", "start", "wait"]
        assert denied == [
            *(f"liar/tap0 has {ip} while its owner is away" for ip in taken),
            *(f"h2/vm is refused {ip}" for ip in refused),
        ]


def test_what_a_lie_denies_the_victims_fails():
    ghosts = partial(result, "ghosts", offered=None)
    assert failures(ghosts(misattributed=["liar/tap0"])) == []
    assert failures(ghosts(denied=["a guarantee"])) == ["ghosts: what the victims were denied"]
    taken = result("taken-address", offered=None, misattributed=["liar/tap0"])
    assert failures(taken) == ["taken-address: attackers in the victims' tenants"]


def test_attacks_are_chosen_by_name():
    assert attacks.chosen([]) == list(ATTACKS)
    assert [each.name for each in attacks.chosen(["pairs", "non-ip"])] == ["non-ip", "pairs"]
    with pytest.raises(LabError, match="--only storm: no such attack; choose from group-mac"):
        attacks.chosen(["storm"])


def test_a_victim_must_keep_nine_tenths():
    assert failures(result("pairs", during=0.9)) == []
    assert failures(result("pairs", during=0.89)) == [
        "pairs: h1 during it / its share",
        "pairs: h2 during it / its share",
    ]


def test_forged_frames_must_not_arrive():
    assert failures(result("pairs", arrived=9)) == []
    assert failures(result("arp-poison", arrived=1)) == [
        "arp-poison: frames that reached a machine beside it"
    ]


def test_an_attack_that_was_not_made_proves_nothing():
    assert failures(result("flows", offered=0.5)) == ["flows: frames offered / meant"]
    assert failures(result("relayed-discovery", offered=None)) == []


def test_state_left_by_an_attack_fails():
    # ONOS's own discovery may be deceived: what counts is what becomes of the victims.
    assert failures(result("relayed-discovery", offered=None, false_links=2)) == []
    assert failures(result("claimed-address", misattributed=["h1/vm1"])) == [
        "claimed-address: attackers in the victims' tenants"
    ]
    assert failures(result("arp-poison", recovery=None)) == [
        "arp-poison: seconds until both victims are answered afterwards"
    ]


def test_an_attack_that_could_not_be_made_fails_alone():
    results, failures = [result("pairs")], [(KNOWN["flows"], "ONOS: timed out")]
    (failed,) = (each for each in criteria.expected(results, failures) if not each.holds)
    assert failed.name == "flows: ONOS: timed out"
    assert report.of("hostile", results, failures, {}, "title").document([])["verdict"] == "fail"


def test_a_lost_request_counts_as_late():
    samples = [[at * 5 * MILLI, 1.0] for at in range(200)]
    whole = {"requests": 200, "samples": samples}
    assert of_probe(whole, 0, 1000 * MILLI) == (1.0, 0.0)
    holey = {"requests": 200, "samples": samples[:190]}
    p99, lost = of_probe(holey, 0, 1000 * MILLI)
    assert p99 == 1000.0
    assert lost == pytest.approx(0.05)
    assert of_probe({"requests": 200, "samples": []}, 0, 1000 * MILLI) == (None, 1.0)


def test_the_rise_of_p99_is_an_aim():
    assert all(each.holds for each in criteria.aims([result("pairs")]))
    assert result("pairs").victims[0].p99_rise_millis == 3


def test_the_document_and_the_table(tmp_path):
    results = [result("pairs"), result("arp-poison", during=0.2, recovery=None, arrived=3)]
    document = report.of("hostile", results, [], {"seed": 1}, "title").document([])
    assert document["verdict"] == "fail"
    assert [each["verdict"] for each in document["attacks"]] == ["pass", "fail"]
    table = report.table(results)
    assert "20%" in table
    assert "never" in table
    shares_plot.draw(results, "title", tmp_path / "hostile.png")
    assert (tmp_path / "hostile.png").stat().st_size > 0
