# SPDX-License-Identifier: Apache-2.0
"""`lab/run tenants`: tenants with one endpoint and with several, greedy and light, guaranteed."""

from testbed.control import agents
from testbed.control.laws import SLUICE
from testbed.deployment import startup
from testbed.experiments.tenants import report
from testbed.experiments.tenants.phase_runner import PhaseRunner
from testbed.experiments.tenants.phases import RECEIVERS, phases_for
from testbed.experiments.tenants.policies import Policies
from testbed.network.plan import TAPS, TENANTS
from testbed.options import common
from testbed.options.command import Command
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.traffic.generators import Traffic

EXPERIMENT = "tenants"
SET_UP_SECONDS, TEAR_DOWN_SECONDS = 100, 12
BETWEEN_PHASES_SECONDS = 4
BIN_MILLIS = 20  # a changed weight is to be in force within 200


def add_options(command):
    """Declare the options."""
    common.deployment(command, with_standalone=True)
    common.guests(command, TAPS)
    common.congestion_control(command)
    common.signal_choices(command)
    common.capacity(command, 40, "the wire")
    common.only(command, "PHASE", "phase")


def run(options):
    """Run the experiment; returns the exit status."""
    phases = _chosen(options)
    given = startup.given_controller(options)
    seconds = sum(phase.seconds + BETWEEN_PHASES_SECONDS for phase in phases)
    progress = Progress(SET_UP_SECONDS + seconds + TEAR_DOWN_SECONDS)
    plan = common.with_guests(TENANTS, options, progress)
    laboratory = startup.laboratory_of(EXPERIMENT, progress, options, plan)
    with laboratory:
        deployment, chosen = startup.deploy(
            *(laboratory, options, given, options.capacity),
            tau_micros=agents.tau_micros(options.capacity),
        )
        deployment.sluice.set(law=SLUICE, share="tenant", enforcement="on")
        startup.choose_signals(deployment, options)
        startup.wait_until_idle(progress)
        progress.expect(seconds + TEAR_DOWN_SECONDS)
        results = _measure(deployment, phases, options.cc)
    chosen_fields = {
        "controller": chosen.as_json(),
        "bottleneckMbps": options.capacity,
        "congestionControl": options.cc,
        "signals": options.signals,
        "notices": options.notices,
        "guests": plan.guests,
    }
    title = f"Tenants over {options.capacity:g} Mbit/s, TCP is {options.cc}, {chosen}"
    return report.of(EXPERIMENT, results, chosen_fields, title).conclude(
        options, laboratory.leftovers
    )


def _chosen(options):
    """The phases that the user wants; LabError for a name that none has."""
    phases = phases_for(options.capacity)
    names = [phase.name for phase in phases]
    for name in options.only:
        if name not in names:
            raise LabError(f"--only {name}: no such phase; there are {', '.join(names)}")
    return [phase for phase in phases if not options.only or phase.name in options.only]


def _measure(deployment, phases, congestion_control):
    traffic = Traffic(deployment.network, receivers=RECEIVERS, bin_millis=BIN_MILLIS)
    deployment.laboratory.cleanup.callback(traffic.end)
    traffic.start_measuring()
    runner = PhaseRunner(deployment, traffic, Policies(deployment), congestion_control)
    for phase in phases:
        runner.run(phase)
    traffic.end()
    return runner.results


COMMAND = Command(
    EXPERIMENT,
    "tenants with one endpoint and with several: shares, idle and light ones, guarantees",
    add_options,
    run,
)
