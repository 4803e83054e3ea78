# SPDX-License-Identifier: Apache-2.0
"""The course of the soak and what is made of it."""

import json
import random
import time
from dataclasses import dataclass, field
from pathlib import Path

from testbed.control import agents, controller
from testbed.deployment import startup
from testbed.deployment.deployment import Site
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.soak import footprint, growth, plot
from testbed.experiments.soak.guests import ADDRESSES_EACH, FLOOD_MBPS, Guest
from testbed.measure.shares import fair_share_mbps
from testbed.network import addresses
from testbed.report import documents, expectations
from testbed.report.expectations import EXIT_STATUS, verdict
from testbed.system import polling, processors
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.traffic.generators import FRESH_TCP_PORTS, Traffic

EXPERIMENT = "soak"
# Slow enough to leave most of the machine idle, fast enough to be congested all the time.
BOTTLENECK_MBPS = 10
FLOOD_BOTTLENECK_MBPS = 12
# About ten packets of the bottleneck.
TAU_MICROS = 10_000
LEAST_MINUTES = 9
CONTROLLER_LIVES = 3  # so it restarts twice
BOOT_SECONDS, TEAR_DOWN_SECONDS = 100, 15
# A destination that nobody sent to for 30 s is forgotten by the agents.
SETTLING_SECONDS = 35
VISIT_SECONDS = 6
SHARE_SECONDS = 15
ALLOW_EXTRANEOUS = "org.onosproject.net.flow.impl.FlowRuleManager:allowExtraneousRules=true"
TCP_HOST, FLOOD_HOST, RESTARTING_HOST = "h1", "h2", "h3"
WEIGHTS = (1, 2, 4)


@dataclass
class Findings:
    """What the soak found."""

    seed: int
    footprints: list = field(default_factory=list)
    trend: list = field(default_factory=list)
    shares: list = field(default_factory=list)
    visits: int = 0
    weight_changes: int = 0
    agent_restarts: int = 0
    controller_restarts: int = 0


def run(options):
    """Run the soak; returns the exit status."""
    startup.require_own_controller(options, "stops and starts its controller")
    options.endpoints = agents.BRIDGE
    progress = Progress(options.minutes * 60 + BOOT_SECONDS + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress)
    findings = Findings(seed=options.seed)
    cpu_before = processors.cpu_times()
    with laboratory:
        progress.say("starting ONOS")
        lab_onos = controller.LabOnos.within(laboratory)
        site = Site(
            *(laboratory, lab_onos.start(ALLOW_EXTRANEOUS), options, BOTTLENECK_MBPS),
            tau_micros=TAU_MICROS,
        )
        site.bring_up(controller.free_ports(1)[0])
        Soak(site, lab_onos, options.minutes * 60, findings).run()
    cpu = processors.cpu_use(cpu_before, processors.cpu_times())
    return _conclude(findings, options, site.controller.version, laboratory.leftovers, cpu)


class Soak:
    """Three lives of the controller; in each the same kinds of things happen, by chance."""

    def __init__(self, site, lab_onos, seconds, findings):
        self.site = site
        self.network = site.network
        self.progress = site.progress
        self.lab_onos = lab_onos
        self.findings = findings
        self.life_seconds = seconds / CONTROLLER_LIVES
        self.chance = random.Random(findings.seed)
        self.guests = [Guest(self.network, host) for host in addresses.SENDERS]
        self.receiver = addresses.endpoint(addresses.RECEIVER).ip
        self.traffic = None
        self._life = 0
        self._begun = time.monotonic()

    def run(self):
        """All lives."""
        self.site.laboratory.cleanup.callback(self._end_traffic)
        for life in range(1, CONTROLLER_LIVES + 1):
            if life > 1:
                self._restart_controller()
            self._live(life)

    def _live(self, life):
        ends = time.monotonic() + self.life_seconds
        self._life = life
        self._note_trend()
        self._start_traffic(life)
        for guest in self.guests:
            # Switches keep rules for every address that ONOS has ever seen: show it all of them.
            for _ in range(ADDRESSES_EACH if life == 1 else 1):
                self._visit([guest], stay_seconds=0)
        self._take(f"life {life}, begin")
        while time.monotonic() < ends - SETTLING_SECONDS - SHARE_SECONDS:
            self._happen()
        self._take(f"life {life}, end")
        self._note_trend()
        self._measure_shares(life)
        self._end_traffic()

    def _start_traffic(self, life):
        self.traffic = Traffic(
            self.network, f"life-{life}", horizon_seconds=self.life_seconds + 300
        )
        self.traffic.start_measuring()
        self.traffic.tcp(TCP_HOST, FRESH_TCP_PORTS[0], "cubic", start_nanos=0, stop_nanos=None)
        self.traffic.flood(FLOOD_HOST, FLOOD_BOTTLENECK_MBPS, start_nanos=0)

    def _end_traffic(self):
        for guest in self.guests:
            guest.leave()
        if self.traffic is not None:
            self.traffic.end()
            self.traffic = None

    def _happen(self):
        """One thing of the many that happen in a data center."""
        what = self.chance.choices(
            (self._visit_of_some, self._change_weight, self._restart_agent), (6, 3, 1)
        )[0]
        what()
        self._note_trend()

    def _note_trend(self):
        pids = [agent.process.pid for agent in self.site.host_agents.values()]
        self.findings.trend.append(
            (
                self._life,
                time.monotonic() - self._begun,
                footprint.resident_kib(self._jvm_pid()),
                sum(map(footprint.resident_kib, pids)),
            )
        )

    def _visit_of_some(self):
        self._visit(self.chance.sample(self.guests, self.chance.randint(1, len(self.guests))))

    def _visit(self, guests, stay_seconds=VISIT_SECONDS):
        names = ", ".join(guest.name for guest in guests)
        self.progress.say(f"visit of {names}")
        for guest in guests:
            guest.arrive()
        for guest in guests:
            guest.wait_until_heard(self.receiver)
            guest.flood(self.traffic)
        time.sleep(self.chance.uniform(1, 1 + stay_seconds))
        for guest in guests:
            guest.leave()
        self.findings.visits += len(guests)

    def _change_weight(self):
        host, weight = self.chance.choice(addresses.SENDERS), self.chance.choice(WEIGHTS)
        self.progress.say(f"weight of {host}: {weight}")
        self.site.set_weight(host, weight)
        self.findings.weight_changes += 1

    def _restart_agent(self):
        self.progress.say(f"restarting the agent of {RESTARTING_HOST}")
        agent = self.site.host_agents[RESTARTING_HOST]
        agent.stop()
        agent.start()
        self.site.wait_for_agents()
        self.findings.agent_restarts += 1

    def _restart_controller(self):
        self.progress.say("restarting ONOS")
        self.lab_onos.stop("--keep")
        self.lab_onos.start(ALLOW_EXTRANEOUS)
        self.site.wait_for_return()
        self.findings.controller_restarts += 1

    def _take(self, when):
        """The footprint with no guest there, weights equal, and what they left forgotten."""
        for host in addresses.SENDERS:
            self.site.set_weight(host, 1)
        self.progress.say(f"{when}: letting things settle")
        polling.until(self._guests_are_forgotten, f"{when}", timeout_seconds=60)
        time.sleep(SETTLING_SECONDS)
        self.findings.footprints.append(
            footprint.take(
                *(when, self._jvm_pid(), self.site.host_agents, self.network.switches),
            )
        )

    def _guests_are_forgotten(self):
        known = {ip for endpoint in self.site.sluice.endpoints() for ip in endpoint["ips"]}
        guests = known - {ip for host in self.site.hosts for ip in addresses.endpoint(host).ips}
        if guests:
            raise LabError(f"Sluice still knows {', '.join(sorted(guests))}")
        return True

    def _jvm_pid(self):
        record = self.network.lab_run.onos_directory / "run.json"
        return json.loads(record.read_text(encoding="utf-8"))["pid"]

    def _measure_shares(self, life):
        """What the two that never left got, in parts of their equal shares."""
        self.progress.say(f"life {life}: measuring shares for {SHARE_SECONDS} s")
        begin = time.monotonic_ns()
        time.sleep(SHARE_SECONDS)
        end = time.monotonic_ns()
        flows = self.traffic.flows()
        measured = {}
        for host in (TCP_HOST, FLOOD_HOST):
            transport = "tcp" if host == TCP_HOST else "udp"
            mine = f"/{addresses.endpoint(host).ip}/"
            rate = sum(series.mbps(begin, end) for name, series in flows.items() if mine in name)
            measured[host] = rate / fair_share_mbps(BOTTLENECK_MBPS, 1, [1, 1], transport)
        self.findings.shares.append(measured)


def _conclude(findings, options, onos_version, leftovers, cpu):
    judged = [
        expectations.at_least("visits of guests", findings.visits, 1),
        expectations.at_least(
            "restarts of the controller", findings.controller_restarts, CONTROLLER_LIVES - 1
        ),
        *growth.judge(findings.footprints),
        *(
            expectations.at_least(f"share of {host} at the end of life {life}", share, 0.85)
            for life, shares in enumerate(findings.shares, start=1)
            for host, share in shares.items()
        ),
    ]
    document = {
        "experiment": EXPERIMENT,
        "onosVersion": onos_version,
        "minutes": options.minutes,
        "seed": findings.seed,
        "bottleneckMbps": BOTTLENECK_MBPS,
        "guestFloodMbps": FLOOD_MBPS,
        **cpu.as_json(),
        "visits": findings.visits,
        "weightChanges": findings.weight_changes,
        "agentRestarts": findings.agent_restarts,
        "controllerRestarts": findings.controller_restarts,
        "shares": [
            {host: round(share, 3) for host, share in each.items()} for each in findings.shares
        ],
        "footprints": [each.as_json() for each in findings.footprints],
        "leftovers": leftovers,
        "expectations": [expectation.as_json() for expectation in judged],
        "verdict": verdict(judged, leftovers, cpu),
    }
    out = Path(options.out)
    path = Path(options.json) if options.json else out / f"{EXPERIMENT}.json"
    documents.write_json(document, path)
    plot.draw(findings.trend, findings.footprints, out / f"{EXPERIMENT}.png")
    print(growth.table(findings.footprints))
    print(documents.judgement(judged, leftovers, document["verdict"]))
    print(f"\nplot:    {out / EXPERIMENT}.png\nresult:  {path}")
    return EXIT_STATUS[document["verdict"]]
