# SPDX-License-Identifier: Apache-2.0
"""How experiments bring up Sluice: what must exist before, then everything in its order."""

import os

from testbed.control import agent_process, agents, controller
from testbed.control.lab_onos import LabOnos
from testbed.control.lab_opendaylight import LabOpenDaylight
from testbed.control.lab_sluiced import LabSluiced
from testbed.deployment import signals
from testbed.deployment.deployment import Deployment
from testbed.deployment.laboratory import Laboratory
from testbed.deployment.standalone import StandaloneDeployment
from testbed.network.bridges import BridgedNetwork
from testbed.network.controller_access import free_ports
from testbed.network.plan import DUMBBELL
from testbed.network.topology import Network
from testbed.system import processors
from testbed.system.errors import LabError

LAB_CONTROLLERS = {
    controller.ONOS: LabOnos,
    controller.OPENDAYLIGHT: LabOpenDaylight,
    controller.STANDALONE: LabSluiced,
}
# By option: its values that need a switch which the controller reaches.
NEED_SWITCHES = {
    "signals": (signals.METERS, signals.ALL),
    "notices": (signals.IN_BAND, signals.ALL),
    "flows": ("switch",),
}
IDLE_SHARE, IDLE_WITHIN_SECONDS = 0.6, 20


def given_controller(options):
    """The controller that the user names, checked; None: the lab's own is to be started.

    LabError where the agent or the application is not built.
    """
    agent_process.require_binary()
    if options.controller == controller.STANDALONE:
        refuse_what_needs_switches(options)
    if not options.installed:
        controller.archive(options)
    return controller.external(options) if controller.locate(options) is not None else None


def refuse_what_needs_switches(options):
    """Raise LabError for options that sluiced cannot have, as it reaches no switch."""
    for name, needing in NEED_SWITCHES.items():
        value = getattr(options, name, None)
        if value in needing:
            raise LabError(
                f"--{name} {value}: --controller {controller.STANDALONE} reaches no switch; leave"
                " one of them out"
            )


def require_own_controller(options, because):
    """Check the requirements of an experiment that needs the lab's own controller.

    because: what it does to its controller, as a clause after "this experiment". LabError where the
    user names another controller, or where the agent or the application is not built.
    """
    agent_process.require_binary()
    controller.require_lab_onos(options, because)
    controller.archive(options)


def laboratory_of(experiment, progress, options, plan=DUMBBELL):
    """A Laboratory with switches as the user's kind of controller needs them."""
    is_standalone = options.controller == controller.STANDALONE
    return Laboratory(experiment, progress, plan, BridgedNetwork if is_standalone else Network)


def deploy(
    laboratory,
    options,
    given,
    bottleneck_mbps,
    tau_micros=agents.TAU_MICROS,
    before_install=lambda: None,
    port_settings=None,
):
    """Sluice deployed on a given controller or (None) on the lab's: (Deployment, Controller).

    before_install: called when the controller has the switches.
    """
    chosen = given
    if given is None:
        own = own_controller(laboratory, options)
        own.expect_network(laboratory.plan, bottleneck_mbps)
        chosen = started(laboratory, own)
    laboratory.progress.log(f"{chosen.api.title} {chosen.version} at {chosen.api.url}")
    is_standalone = options.controller == controller.STANDALONE
    kind = StandaloneDeployment if is_standalone else Deployment
    deployment = kind(laboratory, chosen, options, bottleneck_mbps, tau_micros, port_settings)
    deployment.bring_up(agent_link_port(chosen), before_install)
    return deployment, chosen


def agent_link_port(chosen):
    """Where a Controller listens for agents, or shall listen."""
    own = chosen.own.ports if chosen.own else {}
    return own.get("link") or free_ports(1)[0]


def own_controller(laboratory, options, environment=None):
    """The lab's controller of the kind that the user chooses, not started: a LabController.

    environment: further variables of its process.
    """
    own = LAB_CONTROLLERS[options.controller].within(laboratory, environment)
    own.line = options.line
    own.archive = controller.archive(options)
    return own


def started(laboratory, own):
    """A LabController, started: a Controller.

    What it took is in the run's progress: seconds, processor time and memory.
    """
    laboratory.progress.log(f"starting {own.title}")
    chosen = own.start()
    laboratory.progress.log(
        f"{own.title} is ready after {own.boot.seconds:.0f} s,"
        f" {own.boot.cpu_seconds:.0f} s of processor time, {own.boot.resident_mib} MiB resident"
    )
    return chosen


def choose_signals(deployment, options):
    """Use the one source of marks and the one transport of notices that the user chooses."""
    (choice,) = signals.chosen(options.signals, options.notices)
    signals.prepare(deployment, [choice])
    signals.use(deployment, choice)


def wait_until_idle(progress):
    """Give processes that were just started some time to become idle.

    What a build before has left to be written would be written while packets are forwarded.
    """
    os.sync()
    idle = processors.wait_until_idle(IDLE_SHARE, timeout_seconds=IDLE_WITHIN_SECONDS)
    progress.log(f"idle CPU before traffic: {idle:.0%}")
