# SPDX-License-Identifier: Apache-2.0
"""What the experiments with shares have in common: Sluice in a network, stages, the verdict."""

from collections.abc import Callable
from dataclasses import dataclass, field

from testbed.control import agents
from testbed.deployment import marked_tcp, startup
from testbed.experiments.sharing import report
from testbed.experiments.sharing.stage_runner import StageRunner
from testbed.experiments.sharing.streams import Stage
from testbed.options import common
from testbed.system.progress import Progress
from testbed.traffic.generators import Traffic

SET_UP_SECONDS, TEAR_DOWN_SECONDS = 100, 10
FREE_SECONDS, JUDGED_SECONDS = 6, 12


@dataclass(frozen=True)
class SharingExperiment:
    """One experiment: its network, its streams, and the weights of its last stage.

    placement: made of (network, streams), observes which wires carry them. nic_mbps: of every host.
    properties: of Sluice's component. ecn: whether machines request ECN. judge: makes
    (expectations, aims) of the stages' results.
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
    ecn: bool = False
    judge: Callable = report.judge

    @property
    def stages(self):
        """No enforcement, then equal weights, then other weights set while traffic continues."""
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


def add_options(command):
    """Declare the options of all of them."""
    common.deployment(command, with_standalone=True)
    common.guests(command)
    common.congestion_control(command)
    common.law(command)
    common.signal_choices(command)


def run(experiment, options):
    """Run an experiment; returns the exit status."""
    given = startup.given_controller(options)
    seconds = sum(stage.seconds for stage in experiment.stages)
    progress = Progress(SET_UP_SECONDS + seconds + TEAR_DOWN_SECONDS)
    plan = common.with_guests(experiment.plan, options, progress)
    laboratory = startup.laboratory_of(experiment.name, progress, options, plan)
    with laboratory:
        deployment, chosen = startup.deploy(
            *(laboratory, options, given, experiment.nic_mbps),
            tau_micros=agents.tau_micros(min(experiment.capacities_mbps)),
        )
        deployment.sluice.set(law=options.law, **experiment.properties)
        startup.choose_signals(deployment, options)
        if experiment.ecn:
            marked_tcp.request_ecn(deployment, True)
        startup.wait_until_idle(progress)
        progress.expect(seconds + TEAR_DOWN_SECONDS)
        results = _measure(experiment, deployment, options.cc)
    chosen_fields = {
        "controller": chosen.as_json(),
        "law": options.law,
        "congestionControl": options.cc,
        "signals": options.signals,
        "notices": options.notices,
        "guests": plan.guests,
        **experiment.further,
    }
    title = f"{experiment.title}, {chosen}"
    judged = experiment.judge(results)
    return report.of(experiment.name, results, judged, chosen_fields, title).conclude(
        options, laboratory.leftovers
    )


def _measure(experiment, deployment, congestion_control):
    traffic = Traffic(deployment.network, receivers=experiment.receivers)
    deployment.laboratory.cleanup.callback(traffic.end)
    traffic.start_measuring()
    placement = experiment.placement(deployment.network, experiment.streams)
    runner = StageRunner(
        *(deployment, traffic, experiment.streams, placement, congestion_control),
        flood_mbps=max(experiment.capacities_mbps),
    )
    for stage in experiment.stages:
        runner.run(stage)
    traffic.end()
    return runner.results
