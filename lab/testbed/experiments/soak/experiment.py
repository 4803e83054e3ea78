# SPDX-License-Identifier: Apache-2.0
"""`lab/run soak`: what comes and goes in a data center, for a long time, and what it leaves."""

import argparse
import random
import time
from dataclasses import dataclass, field
from pathlib import Path

from testbed.control import agents
from testbed.control.lab_onos import LabOnos
from testbed.deployment import startup
from testbed.deployment.deployment import Deployment
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.soak import footprint, growth, memory_plot
from testbed.experiments.soak.guests import ADDRESSES_EACH, FLOOD_MBPS, Guest
from testbed.measure.shares import fair_share_mbps
from testbed.network import addresses
from testbed.network.controller_access import free_ports
from testbed.options import common
from testbed.options.command import Command
from testbed.report import documents, expectations
from testbed.report.expectations import verdict
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
CONTROLLER_BOOTS = 3  # so it restarts twice
BOOT_SECONDS, TEAR_DOWN_SECONDS = 100, 15
# Agents remove a pair 30 s after its last packet.
SETTLING_SECONDS, SETTLED_WITHIN_SECONDS = 35, 90
UNCHANGED_SECONDS = 3
VISIT_SECONDS = 6
SHARE_SECONDS = 15
TCP_HOST, FLOOD_HOST, RESTARTING_HOST = "h1", "h2", "h3"
WEIGHTS = (1, 2, 4)


@dataclass
class Findings:
    """What happened in the soak, and what was measured."""

    seed: int
    footprints: list = field(default_factory=list)
    trend: list = field(default_factory=list)
    shares: list = field(default_factory=list)
    visits: int = 0
    weight_changes: int = 0
    agent_restarts: int = 0
    controller_restarts: int = 0


def add_options(command):
    """Declare the options."""
    common.output(command)
    common.lab_onos(command)
    command.add_argument(
        "--minutes", type=minutes, default=20, help=f"at least {LEAST_MINUTES} (20)"
    )
    command.add_argument("--seed", type=int, default=1, help="of the random events (1)")


def minutes(text):
    """The duration."""
    value = float(text)
    if value < LEAST_MINUTES:
        raise argparse.ArgumentTypeError(
            f"{text} minutes are too few for {CONTROLLER_BOOTS} boots of the controller:"
            f" give {LEAST_MINUTES} or more"
        )
    return value


def run(options):
    """Run the soak; returns the exit status."""
    startup.require_own_controller(options, "stops and starts its controller")
    options.endpoints = agents.BRIDGE
    progress = Progress(options.minutes * 60 + BOOT_SECONDS + TEAR_DOWN_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress)
    findings = Findings(seed=options.seed)
    cpu_before = processors.cpu_times()
    with laboratory:
        progress.log("starting ONOS")
        lab_onos = LabOnos.within(laboratory)
        chosen = lab_onos.start(keeps_rules=True)
        deployment = Deployment(laboratory, chosen, options, BOTTLENECK_MBPS, tau_micros=TAU_MICROS)
        deployment.bring_up(free_ports(1)[0])
        Soak(deployment, lab_onos, options.minutes * 60, findings).run()
    cpu = processors.cpu_use(cpu_before, processors.cpu_times())
    return _conclude(findings, options, chosen, laboratory.leftovers, cpu)


class Soak:
    """Three boots of the controller; after each the same kinds of events happen, at random."""

    def __init__(self, deployment, lab_onos, seconds, findings):
        self.deployment = deployment
        self.network = deployment.network
        self.progress = deployment.progress
        self.lab_onos = lab_onos
        self.findings = findings
        self.boot_seconds = seconds / CONTROLLER_BOOTS
        self.random = random.Random(findings.seed)
        self.guests = [Guest(self.network, host) for host in addresses.SENDERS]
        self.receiver = addresses.endpoint(addresses.RECEIVER).ip
        self.traffic = None
        self._boot = 0
        self._begun = time.monotonic()

    def run(self):
        """All boots."""
        self.deployment.laboratory.cleanup.callback(self._end_traffic)
        for boot in range(1, CONTROLLER_BOOTS + 1):
            if boot > 1:
                self._restart_controller()
            self._run_boot(boot)

    def _run_boot(self, boot):
        ends = time.monotonic() + self.boot_seconds
        self._boot = boot
        self._record_trend()
        self._start_traffic(boot)
        for guest in self.guests:
            # Switches keep rules for every address that ONOS has ever seen: use all of them once.
            for _ in range(ADDRESSES_EACH if boot == 1 else 1):
                self._visit([guest], stay_seconds=0)
        self._take_footprint(f"boot {boot}, begin")
        while time.monotonic() < ends - SETTLING_SECONDS - SHARE_SECONDS:
            self._random_event()
        self._take_footprint(f"boot {boot}, end")
        self._record_trend()
        self._measure_shares(boot)
        self._end_traffic()

    def _start_traffic(self, boot):
        self.traffic = Traffic(
            self.network, f"boot-{boot}", horizon_seconds=self.boot_seconds + 300
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

    def _random_event(self):
        """One of the events that happen in a data center."""
        event = self.random.choices(
            (self._visit_of_some, self._change_weight, self._restart_agent), (6, 3, 1)
        )[0]
        event()
        self._record_trend()

    def _record_trend(self):
        pids = [agent.process.pid for agent in self.deployment.host_agents.values()]
        self.findings.trend.append(
            (
                self._boot,
                time.monotonic() - self._begun,
                footprint.resident_kib(self.lab_onos.pid),
                sum(map(footprint.resident_kib, pids)),
            )
        )

    def _visit_of_some(self):
        self._visit(self.random.sample(self.guests, self.random.randint(1, len(self.guests))))

    def _visit(self, guests, stay_seconds=VISIT_SECONDS):
        names = ", ".join(guest.name for guest in guests)
        self.progress.log(f"visit of {names}")
        for guest in guests:
            guest.arrive()
        for guest in guests:
            guest.wait_until_reachable(self.receiver)
            guest.flood(self.traffic)
        time.sleep(self.random.uniform(1, 1 + stay_seconds))
        for guest in guests:
            guest.leave()
        self.findings.visits += len(guests)

    def _change_weight(self):
        host, weight = self.random.choice(addresses.SENDERS), self.random.choice(WEIGHTS)
        self.progress.log(f"weight of {host}: {weight}")
        self.deployment.set_weight(host, weight)
        self.findings.weight_changes += 1

    def _restart_agent(self):
        self.progress.log(f"restarting the agent of {RESTARTING_HOST}")
        agent = self.deployment.host_agents[RESTARTING_HOST]
        agent.stop()
        agent.start()
        self.deployment.wait_for_agents()
        self.findings.agent_restarts += 1

    def _restart_controller(self):
        self.progress.log("restarting ONOS")
        self.lab_onos.stop("--keep")
        self.lab_onos.start(keeps_rules=True)
        self.deployment.wait_for_return()
        self.findings.controller_restarts += 1

    def _take_footprint(self, when):
        """The footprint without guests, with equal weights, after all state of guests is gone."""
        for host in addresses.SENDERS:
            self.deployment.set_weight(host, 1)
        self.progress.log(f"{when}: waiting for the removal of guests' state")
        polling.until(self._endpoints_are_removed, f"{when}", timeout_seconds=60)
        polling.until(
            self._pairs_are_removed,
            "agents to remove guests' pairs",
            timeout_seconds=SETTLED_WITHIN_SECONDS,
            interval_seconds=1,
        )
        host_agents = self.deployment.host_agents
        footprint.wait_until_unchanged(
            host_agents, UNCHANGED_SECONDS, timeout_seconds=SETTLED_WITHIN_SECONDS
        )
        self.findings.footprints.append(
            footprint.take(when, self.lab_onos.pid, host_agents, self.network.switches)
        )

    def _own_addresses(self):
        return {ip for host in self.deployment.hosts for ip in addresses.endpoint(host).ips}

    def _endpoints_are_removed(self):
        known = {ip for endpoint in self.deployment.sluice.endpoints() for ip in endpoint["ips"]}
        guests = known - self._own_addresses()
        if guests:
            raise LabError(f"Sluice still has {', '.join(sorted(guests))}")
        return True

    def _pairs_are_removed(self):
        guests = {ip for guest in self.guests for ip in guest.addresses}
        for host, agent in self.deployment.host_agents.items():
            for pair in agent.status()["pairs"]:
                if guests & {pair["source"], pair["destination"]}:
                    raise LabError(f"{host} still has {pair['source']} > {pair['destination']}")
        return True

    def _measure_shares(self, boot):
        """The rates of the two permanent senders, as parts of their equal shares."""
        self.progress.log(f"boot {boot}: measuring shares for {SHARE_SECONDS} s")
        begin = time.monotonic_ns()
        time.sleep(SHARE_SECONDS)
        end = time.monotonic_ns()
        flows = self.traffic.flows()
        measured = {}
        for host in (TCP_HOST, FLOOD_HOST):
            transport = "tcp" if host == TCP_HOST else "udp"
            source = f"/{addresses.endpoint(host).ip}/"
            rate = sum(series.mbps(begin, end) for name, series in flows.items() if source in name)
            measured[host] = rate / fair_share_mbps(BOTTLENECK_MBPS, 1, [1, 1], transport)
        self.findings.shares.append(measured)


def _conclude(findings, options, controller, leftovers, cpu):
    judged = [
        expectations.at_least("visits of guests", findings.visits, 1),
        expectations.at_least(
            "restarts of the controller", findings.controller_restarts, CONTROLLER_BOOTS - 1
        ),
        *growth.judge(findings.footprints),
        *(
            expectations.at_least(f"share of {host} at the end of boot {boot}", share, 0.85)
            for boot, shares in enumerate(findings.shares, start=1)
            for host, share in shares.items()
        ),
    ]
    document = {
        "experiment": EXPERIMENT,
        "controller": controller.as_json(),
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
    plot = Path(options.out) / f"{EXPERIMENT}.png"
    memory_plot.draw(findings.trend, findings.footprints, plot)
    print(f"{growth.table(findings.footprints)}\n\nplot:    {plot}\n")
    return documents.conclude(document, judged, options.out, options.json, cpu=cpu)


COMMAND = Command(
    EXPERIMENT,
    "endpoints, weights, agents and the controller come and go; nothing may accumulate",
    add_options,
    run,
)
