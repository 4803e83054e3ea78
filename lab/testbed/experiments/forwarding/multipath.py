# SPDX-License-Identifier: Apache-2.0
"""`lab/run forwarding --topology leaf-spine`: flows spread over spines, and one spine lost."""

import itertools
import time
from dataclasses import dataclass, field

from testbed.deployment import startup
from testbed.deployment.deployment import Deployment
from testbed.deployment.laboratory import Laboratory
from testbed.measure import gaps
from testbed.network import addresses, flow_tables
from testbed.network.controller_access import free_ports
from testbed.network.plan import LEAF_SPINE
from testbed.report import documents, expectations
from testbed.report.expectations import verdict
from testbed.system import polling, processors
from testbed.system.progress import Progress
from testbed.traffic.generators import FRESH_TCP_PORTS, Traffic

EXPERIMENT = "forwarding-leaf-spine"
UPLINK_MBPS = 50
EXPECTED_SECONDS = 150
GROUP_SECONDS = 60
SPREAD_SECONDS = 4
SPREAD_FLOWS = 16
SPREAD_MBPS = 1.5
# If each of 16 flows takes a spine at random, at least two take each, but for 1 time in 2000.
LESSER_SPINE_AT_LEAST = 0.10
COMPARE_SECONDS = 1
LOSS_SECONDS = 6
# A port's failure is reported at once; a switch's is detected when its connection ends.
NO_GAP_OVER_SECONDS = 1.0


@dataclass(frozen=True)
class Loss:
    """What happened when a part of the network failed."""

    what: str
    gap_seconds: float
    streams_interrupted: int
    unanswered: list

    def as_json(self):
        """Its part of the result document."""
        return {
            "what": self.what,
            "longestGapSeconds": round(self.gap_seconds, 3),
            "streamsInterrupted": self.streams_interrupted,
            "pairsUnansweredAfter": self.unanswered,
        }


@dataclass
class Findings:
    """The results of the steps."""

    unanswered: list = field(default_factory=list)
    groups: dict = field(default_factory=dict)
    spine_bytes: dict = field(default_factory=dict)
    losses: list = field(default_factory=list)
    remains: list = field(default_factory=list)

    @property
    def lesser_spine_share(self):
        """The part of the flows' bytes that the less used spine carried."""
        total = sum(self.spine_bytes.values())
        return min(self.spine_bytes.values()) / total if total else 0.0


def run(options):
    """Run the experiment; returns the exit status."""
    startup.require_own_controller(options, "installs and uninstalls Sluice")
    progress = Progress(EXPECTED_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress, LEAF_SPINE)
    with laboratory:
        lab_controller = startup.own_controller(laboratory, options)
        progress.log(f"starting {lab_controller.title}")
        deployment = Deployment(laboratory, lab_controller.start(), options, UPLINK_MBPS)
        experiment = Multipath(deployment)
        cpu_before = processors.cpu_times()
        experiment.run()
        cpu = processors.cpu_use(cpu_before, processors.cpu_times())
    return _conclude(experiment.findings, options, deployment.controller, laboratory.leftovers, cpu)


class Multipath:
    """The steps, in order."""

    def __init__(self, deployment):
        self.deployment = deployment
        self.network = deployment.network
        self.plan = deployment.network.plan
        self.progress = deployment.progress
        self.traffic = Traffic(self.network)
        deployment.laboratory.cleanup.callback(self.traffic.end)
        self.findings = Findings()
        self.pairs = list(itertools.permutations(self.plan.hosts, 2))
        self.spines = sorted({link.right[0] for link in self.plan.links})
        self.leaves = sorted({link.left[0] for link in self.plan.links})

    def run(self):
        """All steps."""
        self.deployment.connect_switches()
        tables_before = flow_tables.settled(self.network.switches.values())
        self.deployment.install(free_ports(1)[0])
        self.deployment.wait_until_reachable(timeout_seconds=60)
        self.progress.log(f"pinging {len(self.pairs)} pairs of machines")
        self.findings.unanswered = self.deployment.unanswered(self.pairs)
        self._wait_for_groups()
        self._spread()
        self.findings.losses.append(self._lose_link())
        self.deployment.wait_for_switches()
        self._wait_for_groups()
        self.findings.losses.append(self._lose_spine())
        self.findings.remains = self.deployment.uninstall(tables_before)

    def _wait_for_groups(self):
        """Wait until every leaf sends towards other leaves' hosts by a select group."""
        self.progress.log("waiting for the select groups")

        def are_installed():
            return all(self._uses_group(self.network.switches[leaf]) for leaf in self.leaves)

        polling.until(are_installed, "rules that use select groups", timeout_seconds=GROUP_SECONDS)
        self.findings.groups = {
            leaf: sorted(map(flow_tables.without_counters, self.network.switches[leaf].groups()))
            for leaf in self.leaves
        }

    @staticmethod
    def _uses_group(switch):
        groups = [line for line in switch.groups() if line.count("bucket=") > 1]
        return groups and any("actions=group:" in line for line in switch.flows())

    def _carried(self):
        """{spine: bytes that it has received from the leaves so far}."""
        return {
            spine: sum(
                self.network.switches[spine].received_bytes(f"p{port}")
                for port in self.plan.ports(spine)
            )
            for spine in self.spines
        }

    def _carried_within(self, seconds):
        before = self._carried()
        time.sleep(seconds)
        return {spine: total - before[spine] for spine, total in self._carried().items()}

    def _spread(self):
        """Many thin TCP flows from one leaf to a host of another."""
        self.progress.log(f"{SPREAD_FLOWS} TCP flows for {SPREAD_SECONDS} s")
        self.traffic.start_measuring()
        receiver_leaf, _ = self.plan.places[self.traffic.receiver.host]
        sources = [host for host, (leaf, _) in self.plan.places.items() if leaf != receiver_leaf]
        begin = time.monotonic_ns()
        before = self._carried()
        flows = [
            self.traffic.tcp(
                *(sources[number % len(sources)], port, "cubic"),
                start_nanos=begin,
                stop_nanos=begin + SPREAD_SECONDS * 1_000_000_000,
                rate_mbps=SPREAD_MBPS,
            )
            for number, port in enumerate(FRESH_TCP_PORTS[:SPREAD_FLOWS])
        ]
        for flow in flows:
            flow.report(timeout_seconds=SPREAD_SECONDS + 10)
        after = self._carried()
        self.findings.spine_bytes = {spine: after[spine] - before[spine] for spine in self.spines}

    def _lose_link(self):
        """Take down the link from the first leaf to the spine that carries more of the pings."""
        with self._pings() as pings:
            spine = self._busier_spine()
            link = next(each for each in self.plan.links if each.right[0] == spine)
            switch, port = self.network.switches[spine], link.right[1]
            self.progress.log(f"the link {link.left[0]} - {spine} goes down")
            loss = pings.during(
                f"link {link.left[0]} - {spine}",
                lambda: switch.ip_command("link", "set", f"p{port}", "down"),
            )
        switch.ip_command("link", "set", f"p{port}", "up")
        return loss

    def _lose_spine(self):
        """Stop the daemons of the spine that carries more of the pings."""
        with self._pings() as pings:
            spine = self._busier_spine()
            self.progress.log(f"the switch {spine} is stopped")
            return pings.during(f"spine {spine}", self.network.switches[spine].stop_daemons)

    def _busier_spine(self):
        carried = self._carried_within(COMPARE_SECONDS)
        return max(carried, key=carried.get)

    def _pings(self):
        return CrossPings(self.deployment, self.traffic, self.pairs)


class CrossPings:
    """Pings of all pairs across the leaves, every 20 ms, by both families."""

    def __init__(self, deployment, traffic, pairs):
        self.deployment = deployment
        self.pairs = pairs
        places = deployment.network.plan.places
        self.streams = [
            traffic.pings(source, address)
            for source, target in pairs
            if places[source][0] != places[target][0]
            for address in addresses.endpoint(target).ips
        ]

    def __enter__(self):
        for stream in self.streams:
            stream.wait_until_answered()
        return self

    def __exit__(self, kind, failure, trace):
        for stream in self.streams:
            stream.end()

    def during(self, what, cause):
        """Cause a loss and measure what it does to the pings."""
        begin = time.monotonic_ns()
        cause()
        time.sleep(LOSS_SECONDS)
        end = time.monotonic_ns()
        for stream in self.streams:
            stream.interrupt()
        longest = [
            gaps.longest_gap_seconds(gaps.instants(stream.report()), begin, end)
            for stream in self.streams
        ]
        return Loss(
            what,
            max(longest),
            sum(gap > gaps.NOTICEABLE_SECONDS for gap in longest),
            self.deployment.unanswered(self.pairs),
        )


def _conclude(findings, options, controller, leftovers, cpu):
    judged = [
        expectations.below("pairs of machines without answer", len(findings.unanswered), 1),
        expectations.at_least(
            "bytes of the lesser used spine / of all",
            findings.lesser_spine_share,
            LESSER_SPINE_AT_LEAST,
        ),
    ]
    for loss in findings.losses:
        judged += [
            expectations.below(
                f"longest gap of a ping stream, s ({loss.what} lost)",
                loss.gap_seconds,
                NO_GAP_OVER_SECONDS,
            ),
            expectations.below(
                f"pairs without answer after that ({loss.what} lost)", len(loss.unanswered), 1
            ),
        ]
    judged.append(
        expectations.below("rules, meters, groups, properties left", len(findings.remains), 1)
    )
    document = {
        "experiment": EXPERIMENT,
        "controller": controller.as_json(),
        **cpu.as_json(),
        "pairsUnanswered": findings.unanswered,
        "groups": findings.groups,
        "spineBytes": findings.spine_bytes,
        "losses": [loss.as_json() for loss in findings.losses],
        "remainsAfterUninstall": findings.remains,
        "leftovers": leftovers,
        "expectations": [expectation.as_json() for expectation in judged],
        "verdict": verdict(judged, leftovers, cpu),
    }
    carried = ", ".join(
        f"{spine} {count / 1e6:.1f} MB" for spine, count in findings.spine_bytes.items()
    )
    print(f"\ncarried by the spines: {carried}")
    for loss in findings.losses:
        print(
            f"{loss.what} lost: longest gap {loss.gap_seconds:.2f} s,"
            f" {loss.streams_interrupted} ping streams interrupted"
        )
    for line in [*findings.unanswered, *findings.remains]:
        print(f"  {line}")
    return documents.conclude(document, judged, options.out, options.json, cpu=cpu)
