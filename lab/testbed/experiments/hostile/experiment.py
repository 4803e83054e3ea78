# SPDX-License-Identifier: Apache-2.0
"""`lab/run hostile`: attacks of virtual machines on a running system, one after the other."""

from testbed.control import agents
from testbed.control.laws import SLUICE
from testbed.deployment import startup
from testbed.deployment.laboratory import Laboratory
from testbed.experiments.hostile import attacks, report
from testbed.experiments.hostile.phase_runner import AttackRunner
from testbed.network.plan import HOSTILE, TAPS
from testbed.options import common
from testbed.options.command import Command
from testbed.system.errors import LabError
from testbed.system.progress import Progress
from testbed.traffic.generators import Traffic

EXPERIMENT = "hostile"
SET_UP_SECONDS, TEAR_DOWN_SECONDS = 100, 12
BETWEEN_SECONDS = 5


def add_options(command):
    """Declare the options."""
    common.own_deployment(command)
    common.guests(command, TAPS)
    common.congestion_control(command)
    command.add_argument(
        "--list",
        action=common.ListAndExit,
        listed=attacks.ATTACKS,
        width=26,
        help="list the attacks and exit",
    )
    common.only(command, "NAME", "attack")
    common.capacity(command, 20, "the wire")
    command.add_argument("--seed", type=int, default=1, help="of the frames (1)")


def run(options):
    """Run the experiment; returns the exit status."""
    chosen = attacks.chosen(options.only)
    startup.require_own_controller(options, "attacks its controller")
    seconds = sum(attack.phase_seconds + BETWEEN_SECONDS for attack in chosen)
    progress = Progress(SET_UP_SECONDS + seconds + TEAR_DOWN_SECONDS)
    plan = common.with_guests(HOSTILE, options, progress)
    laboratory = Laboratory(EXPERIMENT, progress, plan)
    with laboratory:
        deployment, controller = startup.deploy(
            *(laboratory, options, None, options.capacity),
            tau_micros=agents.tau_micros(options.capacity),
        )
        deployment.sluice.set(law=SLUICE, share="tenant", enforcement="on")
        startup.wait_until_idle(progress)
        progress.expect(seconds + TEAR_DOWN_SECONDS)
        results, failures = _measure(deployment, chosen, options)
    if not results:
        raise LabError("; ".join(f"{attack.name}: {failure}" for attack, failure in failures))
    chosen_fields = {
        "controller": controller.as_json(),
        "bottleneckMbps": options.capacity,
        "congestionControl": options.cc,
        "endpoints": options.endpoints,
        "guests": plan.guests,
        "seed": options.seed,
    }
    title = f"Shares of {options.capacity:g} Mbit/s under attack, {controller}"
    return report.of(EXPERIMENT, results, failures, chosen_fields, title).conclude(
        options, laboratory.leftovers
    )


def _measure(deployment, chosen, options):
    """(AttackResults, [(attack, what failed)] of those that could not be carried out)."""
    receivers = (attacks.RECEIVER, attacks.OTHER_RECEIVER, attacks.ACCOMPLICE)
    traffic = Traffic(deployment.network, receivers=receivers, horizon_seconds=3600)
    deployment.laboratory.cleanup.callback(traffic.end)
    traffic.start_measuring()
    runner = AttackRunner(deployment, traffic, options.cc, options.seed)
    runner.prepare()
    failures = []
    for attack in chosen:
        try:
            runner.run(attack)
        except LabError as failure:
            deployment.progress.log(f"  {failure}")
            failures.append((attack, str(failure)))
    traffic.end()
    return runner.results, failures


COMMAND = Command(
    EXPERIMENT,
    "attacks of virtual machines: their victims keep nine tenths of their shares",
    add_options,
    run,
)
