# SPDX-License-Identifier: Apache-2.0
"""The lab's own OpenDaylight."""

from testbed.control.lab_controller import LabController
from testbed.control.opendaylight import OpenDaylight
from testbed.system import repository


class LabOpenDaylight(LabController):
    """The lab's own OpenDaylight within a run."""

    title = "OpenDaylight"
    launcher = repository.ROOT / "lab" / "odl" / "odl"
    start_seconds = 420  # two attempts of its launcher, the first without progress

    @property
    def archives(self):
        """Where installed applications are."""
        return self.directory / "karaf" / "deploy"

    @property
    def settings(self):
        """Where its configuration is."""
        return self.directory / "karaf" / "etc"

    def start(self, keeps_rules=None):
        """Start it; returns once RESTCONF answers and it accepts switches.

        keeps_rules: of no effect: it never removes rules that it does not have.
        """
        return self.launch(OpenDaylight(self))
