# SPDX-License-Identifier: Apache-2.0
"""`lab/run forwarding`: Sluice's own forwarding with a controller, without it, after its return."""

import itertools
import time
from dataclasses import dataclass

from testbed.deployment import startup
from testbed.deployment.deployment import Deployment
from testbed.deployment.laboratory import Laboratory
from testbed.measure import gaps
from testbed.measure.shares import fair_share_mbps
from testbed.network import addresses, flow_tables
from testbed.network.controller_access import free_ports
from testbed.programs import clock
from testbed.report import documents, expectations
from testbed.report.expectations import verdict
from testbed.system import processors
from testbed.system.progress import Progress
from testbed.traffic.generators import FRESH_TCP_PORTS, Traffic

EXPERIMENT = "forwarding"
BOTTLENECK_MBPS = 50
EXPECTED_SECONDS = 260
ABSENCE_SECONDS = 6
RETURN_SECONDS = 20
TRANSFER_SECONDS = 5
NO_GAP_OVER_SECONDS = 0.5
TRANSFER_AT_LEAST = 0.90
ESTABLISHED_PAIR = ("h1", "h5")
# Without traffic before the controller is stopped: one pair for each time.
NEW_PAIRS = (("h2", "h3"), ("h3", "h4"))


@dataclass(frozen=True)
class Absence:
    """What happened while the controller was stopped and when it returned."""

    allow_extraneous_rules: bool
    away_gap_seconds: float
    new_pair_answers: bool
    return_gap_seconds: float

    def as_json(self):
        """Its part of the result document."""
        return {
            "allowExtraneousRules": self.allow_extraneous_rules,
            "gapWhileAwaySeconds": round(self.away_gap_seconds, 3),
            "newPairAnswers": self.new_pair_answers,
            "gapOnReturnSeconds": round(self.return_gap_seconds, 3),
        }


def run(options):
    """Run the experiment; returns the exit status."""
    startup.require_own_controller(options, "stops and starts its controller")
    progress = Progress(EXPECTED_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress)
    with laboratory:
        lab_controller = startup.own_controller(laboratory, options)
        progress.log(f"starting {lab_controller.title}")
        chosen = lab_controller.start()
        experiment = Forwarding(
            Deployment(laboratory, chosen, options, BOTTLENECK_MBPS), lab_controller
        )
        cpu_before = processors.cpu_times()
        experiment.run()
        cpu = processors.cpu_use(cpu_before, processors.cpu_times())
    return _conclude(experiment, options, laboratory.leftovers, cpu)


class Forwarding:
    """The steps, in order; their results are in the attributes."""

    def __init__(self, deployment, lab_controller):
        self.deployment = deployment
        self.switches = deployment.network.switches.values()
        self.lab_controller = lab_controller
        self.progress = deployment.progress
        self.traffic = Traffic(deployment.network)
        self.deployment.laboratory.cleanup.callback(self.traffic.end)
        self.pairs = []
        self.unanswered = []
        self.transfers_mbps = {}
        self.absences = []
        self.remains = []

    def run(self):
        """All steps."""
        self.deployment.connect_switches()
        tables_before = flow_tables.settled(self.switches)
        self.deployment.install(free_ports(1)[0])
        self.deployment.wait_until_reachable(timeout_seconds=60)
        self._ping_all_pairs()
        self._transfer()
        choices = self.lab_controller.keeps_rules_choices
        for new_pair, allowed in zip(NEW_PAIRS, choices, strict=False):
            self.absences.append(self._absence(new_pair, allowed))
        self.remains = self.deployment.uninstall(tables_before)

    def _ping_all_pairs(self):
        reserved = {*NEW_PAIRS, *(pair[::-1] for pair in NEW_PAIRS)}
        self.pairs = [
            pair for pair in itertools.permutations(addresses.HOSTS, 2) if pair not in reserved
        ]
        self.progress.log(f"pinging {len(self.pairs)} pairs of machines")
        self.unanswered = self.deployment.unanswered(self.pairs)

    def _transfer(self):
        self.traffic.start_measuring()
        receiver = addresses.endpoint(addresses.RECEIVER)
        for payload_key, source, target in zip(
            ("tcp", "tcp6"), addresses.endpoint("h1").ips, receiver.ips, strict=True
        ):
            self.progress.log(f"TCP to {target} for {TRANSFER_SECONDS} s")
            begin = time.monotonic_ns() + 200_000_000
            end = begin + TRANSFER_SECONDS * 1_000_000_000
            sender = self.traffic.tcp(
                *("h1", FRESH_TCP_PORTS[0], "cubic"),
                start_nanos=begin,
                stop_nanos=end,
                address=target,
            )
            sender.report(timeout_seconds=TRANSFER_SECONDS + 10)
            flow = self.traffic.flows().get(f"tcp/{source}/{FRESH_TCP_PORTS[0]}")
            rate = flow.mbps(begin + 1_000_000_000, end) if flow else 0.0
            self.transfers_mbps[payload_key] = rate

    def _absence(self, new_pair, allow_extraneous_rules):
        """Stop the controller and start it again, while pings run and are checked for gaps."""
        source, target = ESTABLISHED_PAIR
        pings = [self.traffic.pings(source, address) for address in addresses.endpoint(target).ips]
        for job in pings:
            job.wait_until_answered()
        title = self.lab_controller.title
        self.progress.log(f"stopping {title} for {ABSENCE_SECONDS} s")
        stopped = time.monotonic_ns()
        self.lab_controller.stop("--keep")
        absent_until = time.monotonic_ns() + ABSENCE_SECONDS * 1_000_000_000
        new_pair_answers = not self.deployment.unanswered([new_pair])
        clock.sleep_until(absent_until)
        self.progress.log(
            f"starting {title}, allowExtraneousRules={str(allow_extraneous_rules).lower()}"
        )
        returned = time.monotonic_ns()
        self.lab_controller.start(keeps_rules=allow_extraneous_rules)
        self.deployment.wait_for_return()
        self.progress.log(f"watching for {RETURN_SECONDS} s")
        time.sleep(RETURN_SECONDS)
        end = time.monotonic_ns()
        for job in pings:
            job.interrupt()
        answered = [gaps.instants(job.report()) for job in pings]
        return Absence(
            allow_extraneous_rules,
            max(gaps.longest_gap_seconds(each, stopped, returned) for each in answered),
            new_pair_answers,
            max(gaps.longest_gap_seconds(each, returned, end) for each in answered),
        )


def _conclude(experiment, options, leftovers, cpu):
    judged = [
        expectations.below("pairs of machines without answer", len(experiment.unanswered), 1),
    ]
    for payload_key, name in (("tcp", "IPv4"), ("tcp6", "IPv6")):
        fair = fair_share_mbps(BOTTLENECK_MBPS, 1, [1], payload_key)
        judged.append(
            expectations.at_least(
                f"TCP over {name} / the link",
                experiment.transfers_mbps[payload_key] / fair,
                TRANSFER_AT_LEAST,
            )
        )
    for absence in experiment.absences:
        setting = f"(allowExtraneousRules={str(absence.allow_extraneous_rules).lower()})"
        judged += [
            expectations.below(
                f"longest gap without the controller, s {setting}",
                absence.away_gap_seconds,
                NO_GAP_OVER_SECONDS,
            ),
            expectations.at_least(
                f"a new pair answers without the controller {setting}",
                int(absence.new_pair_answers),
                1,
            ),
        ]
        if absence.allow_extraneous_rules:
            judged.append(
                expectations.below(
                    f"longest gap on its return, s {setting}",
                    absence.return_gap_seconds,
                    NO_GAP_OVER_SECONDS,
                )
            )
    judged.append(
        expectations.below(
            "rules, meters, properties after uninstalling", len(experiment.remains), 1
        )
    )
    document = {
        "experiment": EXPERIMENT,
        "controller": experiment.deployment.controller.as_json(),
        **cpu.as_json(),
        "pairsPinged": len(experiment.pairs),
        "pairsUnanswered": experiment.unanswered,
        "transferMbps": {
            "ipv4": round(experiment.transfers_mbps["tcp"], 2),
            "ipv6": round(experiment.transfers_mbps["tcp6"], 2),
        },
        "absences": [absence.as_json() for absence in experiment.absences],
        "remainsAfterUninstall": experiment.remains,
        "leftovers": leftovers,
        "expectations": [expectation.as_json() for expectation in judged],
        "verdict": verdict(judged, leftovers, cpu),
    }
    for absence in experiment.absences:
        print(
            f"allowExtraneousRules={str(absence.allow_extraneous_rules).lower()}: longest gap"
            f" {absence.away_gap_seconds:.2f} s while the controller was stopped,"
            f" {absence.return_gap_seconds:.2f} s on its return"
        )
    for line in experiment.remains:
        print(f"after uninstalling: {line}")
    return documents.conclude(document, judged, options.out, options.json, cpu=cpu)
