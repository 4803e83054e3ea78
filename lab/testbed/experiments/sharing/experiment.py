# SPDX-License-Identifier: Apache-2.0
"""What the experiments with shares have in common: a network under Sluice, stages, the verdict."""

from dataclasses import dataclass, field
from pathlib import Path

from testbed.control import agents
from testbed.deployment import startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.dumbbell.phase_run import wait_for_a_calm_machine
from testbed.experiments.sharing import report as sharing_report
from testbed.experiments.sharing.stage_runner import SharingRunner, Stage
from testbed.system.progress import Progress
from testbed.traffic.generators import Traffic

BEFORE_SECONDS, AFTER_SECONDS = 100, 10
FREE_SECONDS, JUDGED_SECONDS = 6, 12


@dataclass(frozen=True)
class Sharing:
    """One experiment: who sends what over which network, and how much each one weighs later on.

    placement: made of (network, streams), tells which wires carry them. nic_mbps: of every host.
    properties: of Sluice's component.
    """

    name: str
    title: str
    plan: object
    streams: tuple
    placement: type
    weights: dict
    nic_mbps: float
    properties: dict = field(default_factory=dict)
    further: dict = field(default_factory=dict)

    @property
    def stages(self):
        """Everybody for himself, equal weights, other weights set while all goes on."""
        return (
            Stage("free", FREE_SECONDS, enforced=False),
            Stage("equal", JUDGED_SECONDS),
            Stage("weighted", JUDGED_SECONDS, weights=self.weights),
        )

    @property
    def capacities_mbps(self):
        """Of all wires."""
        return [link.capacity_mbps or self.nic_mbps for link in self.plan.wires]

    @property
    def receivers(self):
        """Hosts that receive, in order."""
        return tuple(dict.fromkeys(stream.target for stream in self.streams))


def run(experiment, options):
    """Run an experiment; returns the exit status."""
    given = startup.given_controller(options)
    seconds = sum(stage.seconds for stage in experiment.stages)
    progress = Progress(BEFORE_SECONDS + seconds + AFTER_SECONDS)
    laboratory = Laboratory(experiment.name, progress, experiment.plan)
    with laboratory:
        site, chosen = startup.open_site(
            *(laboratory, options, given, experiment.nic_mbps),
            tau_micros=agents.tau_micros(min(experiment.capacities_mbps)),
        )
        site.sluice.set(law=options.law, **experiment.properties)
        startup.choose_signals(site, options)
        wait_for_a_calm_machine(progress)
        progress.expect(seconds + AFTER_SECONDS)
        results = _measure(experiment, site, options.cc)
    out = Path(options.out)
    picture = out / f"{experiment.name}.png"
    sharing_report.draw(results, f"{experiment.title}, ONOS {chosen.version}", picture)
    told = sharing_report.document(
        *(experiment.name, chosen.version, results, laboratory.leftovers),
        {
            "law": options.law,
            "congestionControl": options.cc,
            "signals": options.signals,
            "notices": options.notices,
            **experiment.further,
        },
    )
    json_file = Path(options.json) if options.json else out / f"{experiment.name}.json"
    return sharing_report.conclude(told, results, json_file, picture)


def _measure(experiment, site, congestion_control):
    traffic = Traffic(site.network, receivers=experiment.receivers)
    site.laboratory.cleanup.callback(traffic.end)
    traffic.start_measuring()
    placement = experiment.placement(site.network, experiment.streams)
    runner = SharingRunner(
        *(site, traffic, experiment.streams, placement, congestion_control),
        flood_mbps=max(experiment.capacities_mbps),
    )
    for stage in experiment.stages:
        runner.run(stage)
    traffic.end()
    return runner.results
