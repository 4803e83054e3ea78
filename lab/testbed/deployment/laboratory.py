# SPDX-License-Identifier: Apache-2.0
"""The frame around every experiment: it begins a run and removes all of it in any case."""

import contextlib
import signal
import sys

from testbed.network.plan import DUMBBELL
from testbed.network.topology import Network
from testbed.runs import leftovers, registry
from testbed.system import requirements

INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Laboratory:
    """Context manager around one run.

    Inside, `network` is built from the plan, and `cleanup` is an ExitStack for whatever is added to
    it. After the with block `leftovers` lists what could not be removed, unless the run was kept.
    """

    def __init__(self, experiment, progress, plan=DUMBBELL, network_type=Network):
        self.experiment = experiment
        self.progress = progress
        self.plan = plan
        self.network_type = network_type
        self.leftovers = []
        self.kept = False
        self.cleanup = contextlib.ExitStack()
        self.lab_run = None
        self.network = None
        self._before = None

    def __enter__(self):
        requirements.check()
        for stale in registry.remove_stale():
            self.progress.log(f"removed run {stale}, whose owner had ended")
        self._before = leftovers.snapshot()
        for number in INTERRUPTIONS:
            signal.signal(number, _interrupt)
        self.lab_run = registry.begin(self.experiment)
        try:
            self.progress.log(f"run {self.lab_run.id}: building the {self.plan.name}")
            self.network = self.network_type(self.lab_run, self.plan)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, kind, failure, trace):
        if self.kept and kind is None:
            self.cleanup.pop_all()
            self.network.release_shells()
            return
        self._remove()

    def start_agent(self, agent):
        """Start an agent; at the end it is stopped, and checked for what it leaves."""
        self.cleanup.callback(self._stop_agent, agent)
        agent.start()
        return agent

    def start_switches(self, controllers):
        """Start the switches; at the end they are stopped."""
        self.cleanup.callback(self.network.stop_switches)
        self.network.start_switches(controllers)

    def keep(self):
        """Leave the run up when the with block ends well."""
        self.lab_run.record(kept=True)
        self.kept = True

    def _remove(self):
        """Remove the run; a second interruption does not interrupt that."""
        previous = {number: signal.signal(number, _ignore) for number in INTERRUPTIONS}
        try:
            self.progress.log("removing everything")
            try:
                self.cleanup.close()
            finally:
                if self.network is not None:
                    self.network.release_shells()
                registry.remove(self.lab_run)
            own, others = leftovers.find(self._before, self.lab_run)
            self.leftovers += own
            for item in others:
                self.progress.log(f"new meanwhile, without this run's name: {item}")
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def _stop_agent(self, agent):
        """Stop an agent; what it should have removed itself is a leftover.

        An agent that ended before is one too: without it the measurement is not valid.
        """
        if agent.has_ended:
            self.leftovers.append(
                f"the agent on {agent.node.name} had ended by itself: {agent.last_log_line()}"
            )
        agent.stop()
        self.leftovers += [
            f"pin of the stopped agent on {agent.node.name}: {pin}" for pin in agent.pins
        ]


def _interrupt(number, frame):
    raise KeyboardInterrupt


def _ignore(number, frame):
    print("\nthe run is being removed; please wait", file=sys.stderr, flush=True)
