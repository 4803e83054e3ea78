# SPDX-License-Identifier: Apache-2.0
"""How an experiment comes to a network under Sluice: what must be there, then all of it up."""

from testbed.control import agents, controller
from testbed.deployment import signals
from testbed.deployment.deployment import Site


def given_controller(options):
    """The controller that the user names, checked; None: the lab's own is to be started.

    LabError where what the experiment runs is not built.
    """
    agents.require_binary()
    if not options.installed:
        controller.require_archive(options.oar)
    return controller.foreign(options) if controller.locate(options) is not None else None


def require_own_controller(options, because):
    """Check what an experiment runs that does something to its controller: it is the lab's own.

    because: what it does to it, as a clause after "this experiment". LabError where the user names
    another controller, or where what the experiment runs is not built.
    """
    agents.require_binary()
    controller.require_lab_onos(options, because)
    controller.require_archive(options.oar)


def open_site(laboratory, options, given, bottleneck_mbps, tau_micros=agents.TAU_MICROS):
    """The network under Sluice on a given controller or (None) the lab's: (Site, Controller)."""
    chosen = given
    if given is None:
        laboratory.progress.say("starting ONOS")
        chosen = controller.LabOnos.within(laboratory).start()
    laboratory.progress.say(f"ONOS {chosen.version} at {chosen.onos.url}")
    site = Site(laboratory, chosen, options, bottleneck_mbps, tau_micros)
    site.bring_up(controller.free_ports(1)[0])
    return site, chosen


def choose_signals(site, options):
    """Use the one source of marks and the one way of notices that the user asks for."""
    (senses,) = signals.chosen(options.signals, options.notices)
    signals.prepare(site, [senses])
    signals.use(site, senses)
