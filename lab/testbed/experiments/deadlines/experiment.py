# SPDX-License-Identifier: Apache-2.0
"""`lab/run deadlines`: five flows with deadlines beside an endless one, without Sluice and with it.

SED's small scenario: every flow has a machine of its own, all send to one over one bottleneck. With
Sluice the flows are registered by REST before they begin, as tenants' applications would do. Beside
floods it is one flow, which needs half of the bottleneck.
"""

from testbed.deployment import startup
from testbed.experiments.deadlines import report, small_scenario, switch_observations
from testbed.experiments.deadlines.runner import DeadlinesRunner
from testbed.network.plan import DEADLINES
from testbed.options import common
from testbed.options.command import Command
from testbed.system.progress import Progress
from testbed.traffic.generators import CONGESTION_CONTROLS
from testbed.turns.turn import rounds_of

EXPERIMENT = "deadlines"
BOTTLENECK_MBPS = 50
ALL = "all"
ENDLESS, FLOODS = "endless", "floods"
SET_UP_SECONDS, TEAR_DOWN_SECONDS, TURN_SECONDS = 75, 10, 6


def add_options(command):
    """Declare the options."""
    common.deployment(command, with_standalone=True)
    command.add_argument(
        "--cc",
        choices=(*CONGESTION_CONTROLS, ALL),
        default=ALL,
        help="TCP's; all: one after the other (all)",
    )
    common.repetitions(command, 5, "with and without Sluice")
    command.add_argument(
        "--beside",
        choices=(ENDLESS, FLOODS),
        default=ENDLESS,
        help="five flows beside an endless one (endless), or one that needs half of the bottleneck"
        " beside that and two UDP floods",
    )
    command.add_argument(
        "--flows",
        choices=(switch_observations.HOST, switch_observations.SWITCH),
        default=switch_observations.HOST,
        help="what reports that a registered flow's connection begins or ends (host)",
    )
    common.signal_choices(command)


def run(options):
    """Run the experiment; returns the exit status."""
    given = startup.given_controller(options)
    controls = CONGESTION_CONTROLS if options.cc == ALL else (options.cc,)
    # Without and with Sluice in turns: disturbances of the machine hit both.
    rounds = [
        (control, *each)
        for control in controls
        for each in rounds_of(options.repetitions, small_scenario.MODES)
    ]
    progress = Progress(SET_UP_SECONDS + len(rounds) * TURN_SECONDS + TEAR_DOWN_SECONDS)
    laboratory = startup.laboratory_of(EXPERIMENT, progress, options, DEADLINES)
    with laboratory:
        deployment, chosen = startup.deploy(laboratory, options, given, BOTTLENECK_MBPS)
        startup.choose_signals(deployment, options)
        switch_observations.use(deployment, options.flows)
        startup.wait_until_idle(progress)
        observations = None
        if options.flows == switch_observations.SWITCH:
            observations = switch_observations.SwitchObservations(deployment)
        runner = DeadlinesRunner(deployment, observations, options.beside == FLOODS)
        done = runner.run_all(rounds)
        observed = observations and observations.as_json()
    chosen_fields = {
        "bottleneckMbps": BOTTLENECK_MBPS,
        "controller": chosen.as_json(),
        "signals": options.signals,
        "notices": options.notices,
        "flows": options.flows,
        "beside": options.beside,
    }
    what = "Half of" if options.beside == FLOODS else "Five deadlines over"
    title = f"{what} {BOTTLENECK_MBPS} Mbit/s, {chosen}"
    return report.of(EXPERIMENT, done, observed, chosen_fields, title).conclude(
        options, laboratory.leftovers
    )


COMMAND = Command(
    EXPERIMENT,
    "five flows with deadlines beside an endless one: met with Sluice, missed without",
    add_options,
    run,
)
