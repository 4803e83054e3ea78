# SPDX-License-Identifier: Apache-2.0
"""`lab/run other-forwarding`: Sluice beside another application's forwarding."""

import itertools
from dataclasses import dataclass, field
from pathlib import Path

from testbed.control.lab_onos import LabOnos
from testbed.control.laws import SLUICE
from testbed.deployment import startup
from testbed.deployment.deployment import Deployment
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.forwarding import third_party_rules
from testbed.flooding import criteria, goodput_plot, phase_report
from testbed.flooding.phase_sequence import SHORT
from testbed.flooding.sequence_run import run_sequence
from testbed.network import flow_tables
from testbed.network.controller_access import free_ports
from testbed.network.modification_monitor import ModificationMonitor
from testbed.options import common
from testbed.options.command import Command
from testbed.report import expectations
from testbed.system import polling, processors
from testbed.system.progress import Progress

EXPERIMENT = "other-forwarding"
CONGESTION_CONTROL, LAW = "cubic", SLUICE
EXPECTED_SECONDS = 120
SWITCHING_SECONDS = 30
JOURNAL_ENTRIES = 200
ESTIMATED = "path estimated"


@dataclass
class Findings:
    """The results of the steps; table entries that differ are lines."""

    unanswered: list = field(default_factory=list)
    sequence: object = None
    differ: dict = field(default_factory=dict)
    modifications: list = field(default_factory=list)
    estimated_entries: int = 0
    own_entries: int = 0


def run(options):
    """Run the experiment; returns the exit status."""
    startup.require_own_controller(options, "gives its controller another application's rules")
    progress = Progress(EXPECTED_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress)
    with laboratory:
        progress.log("starting ONOS")
        lab_onos = LabOnos.within(laboratory)
        deployment = Deployment(laboratory, lab_onos.start(), options, SHORT.bottleneck_mbps)
        experiment = OtherForwarding(deployment)
        experiment.run()
    return _conclude(experiment.findings, options, deployment.controller, laboratory.leftovers)


class OtherForwarding:
    """The steps, in order."""

    def __init__(self, deployment):
        self.deployment = deployment
        self.switches = list(deployment.network.switches.values())
        self.progress = deployment.progress
        self.findings = Findings()
        self.before = None

    def run(self):
        """All steps."""
        self.deployment.connect_switches()
        self.progress.log("installing another application's forwarding")
        self.deployment.controller.api.add_flows(third_party_rules.rules(self.deployment.network))
        self.deployment.wait_until_reachable(timeout_seconds=30)
        self.before = flow_tables.settled(self.switches)
        monitor = ModificationMonitor(self.switches, self.deployment.network.lab_run.directory)
        self.deployment.laboratory.cleanup.callback(monitor.stop)
        monitor.start()
        self.deployment.install(free_ports(1)[0], preset={"forwarding": "other"})
        self._compare("installed")
        self._ping_all_pairs()
        startup.wait_until_idle(self.progress)
        self.findings.sequence = run_sequence(self.deployment, SHORT, CONGESTION_CONTROL, LAW)
        self._compare("after the phases")
        self.findings.estimated_entries = self._estimated_entries()
        self.findings.modifications = monitor.seen()
        monitor.stop()
        self._own_and_back()
        self.findings.differ["uninstalled"] = self.deployment.uninstall(self.before)

    def _compare(self, when):
        self.findings.differ[when] = flow_tables.differences(
            self.before, flow_tables.settled(self.switches)
        )

    def _ping_all_pairs(self):
        hosts = self.deployment.hosts
        self.progress.log("pinging all pairs of machines")
        # The other application's rules are for IPv4 alone.
        self.findings.unanswered = self.deployment.unanswered(
            list(itertools.permutations(hosts, 2)), families=(4,)
        )

    def _estimated_entries(self):
        """How many of the journal's latest entries are based on an estimated path."""
        entries = self.deployment.sluice.journal(JOURNAL_ENTRIES)
        return sum(ESTIMATED in str(entry) for entry in entries)

    def _own_and_back(self):
        """Switch to Sluice's own forwarding and back."""
        self.progress.log("switching to Sluice's own forwarding")
        self.deployment.sluice.set(forwarding="own")
        polling.until(
            lambda: flow_tables.differences(self.before, flow_tables.read(self.switches)),
            "Sluice's own rules",
            timeout_seconds=SWITCHING_SECONDS,
        )
        own = flow_tables.differences(self.before, flow_tables.settled(self.switches))
        self.findings.own_entries = len(own)
        self.progress.log("switching back to the other application's")
        self.deployment.sluice.set(forwarding="other")
        self._compare("own and back")


def _conclude(findings, options, controller, leftovers):
    sequence = findings.sequence
    judged = [
        expectations.below("pairs of machines without answer", len(findings.unanswered), 1),
        *criteria.short(sequence.by_name, CONGESTION_CONTROL),
        expectations.below(
            "changes written to switches while forwarding = other", len(findings.modifications), 1
        ),
        *(
            expectations.below(f"table entries that differ: {when}", len(lines), 1)
            for when, lines in findings.differ.items()
        ),
        expectations.at_least(
            "journal entries that name an estimated path", findings.estimated_entries, 1
        ),
        expectations.at_least("table entries of own forwarding", findings.own_entries, 1),
    ]
    report = phase_report.PhaseReport(
        experiment=EXPERIMENT,
        bottleneck_mbps=sequence.bottleneck_mbps,
        controller=controller,
        cpu=processors.mean_cpu_use(sequence.phases),
        phases=sequence.phases,
        expectations=judged,
        leftovers=leftovers,
        further={
            "pairsUnanswered": findings.unanswered,
            "modificationsSeen": findings.modifications,
            "tableDifferences": findings.differ,
            "estimatedJournalEntries": findings.estimated_entries,
            "ownTableEntries": findings.own_entries,
        },
    )
    plot = Path(options.out) / f"{EXPERIMENT}.png"
    goodput_plot.goodput_over_time(
        *(sequence.phases, sequence.flows, sequence.bottleneck_mbps),
        f"One TCP tenant against three UDP floods, forwarded by another application, {controller}",
        plot,
    )
    for when, lines in findings.differ.items():
        for line in lines:
            print(f"{when}: {line}")
    for line in findings.modifications:
        print(f"written: {line}")
    return phase_report.conclude(report, options.out, options.json, plot)


COMMAND = Command(
    EXPERIMENT,
    "Sluice beside another application's forwarding: no rule, no meter, and control works",
    common.onos_deployment,
    run,
)
