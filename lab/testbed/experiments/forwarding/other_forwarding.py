# SPDX-License-Identifier: Apache-2.0
"""`lab/run other-forwarding`: Sluice beside somebody else's forwarding, which it leaves alone."""

import itertools
from dataclasses import dataclass, field
from pathlib import Path

from testbed.control import controller
from testbed.deployment import startup
from testbed.deployment.deployment import Site
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.dumbbell import criteria, goodput_plot, phases
from testbed.experiments.dumbbell.phase_run import SHORT, run_case, wait_for_a_calm_machine
from testbed.experiments.forwarding import third_party_rules
from testbed.network import flow_tables
from testbed.network.modification_monitor import Modifications
from testbed.report import documents, expectations
from testbed.system import polling
from testbed.system.progress import Progress

EXPERIMENT = "other-forwarding"
CONGESTION_CONTROL, LAW = "cubic", "sluice"
EXPECTED_SECONDS = 120
SWITCHING_SECONDS = 30
JOURNAL_ENTRIES = 200
ESTIMATED = "path estimated"


@dataclass
class Findings:
    """What the steps found; table entries that differ stand as lines."""

    unanswered: list = field(default_factory=list)
    case: object = None
    differ: dict = field(default_factory=dict)
    modifications: list = field(default_factory=list)
    estimated_entries: int = 0
    own_entries: int = 0


def run(options):
    """Run the experiment; returns the exit status."""
    startup.require_own_controller(options, "gives its controller rules of somebody else")
    progress = Progress(EXPECTED_SECONDS)
    laboratory = Laboratory(EXPERIMENT, progress)
    with laboratory:
        progress.say("starting ONOS")
        lab_onos = controller.LabOnos.within(laboratory)
        site = Site(laboratory, lab_onos.start(), options, SHORT.bottleneck_mbps)
        experiment = OtherForwarding(site)
        experiment.run()
    return _conclude(experiment.findings, options, site.controller.version, laboratory.leftovers)


class OtherForwarding:
    """The steps, in order."""

    def __init__(self, site):
        self.site = site
        self.switches = list(site.network.switches.values())
        self.progress = site.progress
        self.findings = Findings()
        self.before = None

    def run(self):
        """All steps."""
        self.site.connect_switches()
        self.progress.say("installing somebody else's forwarding")
        self.site.controller.onos.add_flows(third_party_rules.rules(self.site.network))
        self.site.wait_until_reachable(timeout_seconds=30)
        self.before = flow_tables.settled(self.switches)
        modifications = Modifications(self.switches, self.site.network.lab_run.directory)
        self.site.laboratory.cleanup.callback(modifications.stop)
        modifications.start()
        self.site.install(controller.free_ports(1)[0], preset={"forwarding": "other"})
        self._compare("installed")
        self._ping_all_pairs()
        wait_for_a_calm_machine(self.progress)
        self.findings.case = run_case(self.site, SHORT, CONGESTION_CONTROL, LAW)
        self._compare("after the phases")
        self.findings.estimated_entries = self._estimated_entries()
        self.findings.modifications = modifications.seen()
        modifications.stop()
        self._own_and_back()
        self.findings.differ["uninstalled"] = self.site.uninstall(self.before)

    def _compare(self, when):
        self.findings.differ[when] = flow_tables.differences(
            self.before, flow_tables.settled(self.switches)
        )

    def _ping_all_pairs(self):
        hosts = self.site.hosts
        self.progress.say("pinging all pairs of machines")
        # Somebody else's rules know IPv4 alone.
        self.findings.unanswered = self.site.unanswered(
            list(itertools.permutations(hosts, 2)), families=(4,)
        )

    def _estimated_entries(self):
        """How many of the journal's latest entries rest on an estimated path."""
        entries = self.site.sluice.journal(JOURNAL_ENTRIES)
        return sum(ESTIMATED in str(entry) for entry in entries)

    def _own_and_back(self):
        """Let Sluice forward for a while, and then no longer."""
        self.progress.say("switching to Sluice's own forwarding")
        self.site.sluice.set(forwarding="own")
        polling.until(
            lambda: flow_tables.differences(self.before, flow_tables.read(self.switches)),
            "Sluice's own rules",
            timeout_seconds=SWITCHING_SECONDS,
        )
        own = flow_tables.differences(self.before, flow_tables.settled(self.switches))
        self.findings.own_entries = len(own)
        self.progress.say("switching back to somebody else's")
        self.site.sluice.set(forwarding="other")
        self._compare("own and back")


def _conclude(findings, options, onos_version, leftovers):
    case = findings.case
    judged = [
        expectations.below("pairs of machines without answer", len(findings.unanswered), 1),
        *criteria.short(case.by_name, CONGESTION_CONTROL),
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
    out = Path(options.out)
    result = documents.Result(
        experiment=EXPERIMENT,
        bottleneck_mbps=case.bottleneck_mbps,
        onos_version=onos_version,
        cpu=phases.mean_cpu_use(case.results),
        phases=case.results,
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
    picture = out / f"{EXPERIMENT}.png"
    goodput_plot.goodput_over_time(
        *(case.results, case.flows, case.bottleneck_mbps),
        f"One TCP tenant against three UDP floods, forwarded by somebody else, ONOS {onos_version}",
        picture,
    )
    for when, lines in findings.differ.items():
        for line in lines:
            print(f"{when}: {line}")
    for line in findings.modifications:
        print(f"written: {line}")
    return documents.conclude(result, out, options.json, picture)
