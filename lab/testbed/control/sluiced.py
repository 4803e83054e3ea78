# SPDX-License-Identifier: Apache-2.0
"""The lab's sluiced, as an experiment uses it: by its REST and its configuration's file."""

from testbed.control.rest import Rest
from testbed.control.sluice import documented_settings


class Sluiced(Rest):
    """One sluiced of the lab's, with the methods of an Onos; it has no switches and no shell."""

    title = "sluiced"
    sluice_path = "/sluice"
    finds_links_by_itself = False
    reads_counters_for_sluice = True

    def __init__(self, lab_sluiced):
        self._lab = lab_sluiced
        self.administrator, self.reader = lab_sluiced.administrator, lab_sluiced.reader
        super().__init__(lab_sluiced.url, *self.administrator.split(":"))

    def version(self):
        """Its version."""
        return self._lab.version

    def application_state(self, name):
        """ACTIVE: it is its application."""
        return "ACTIVE"

    def install(self, archive):
        """It is installed by being started."""

    def properties(self, component):
        """All settings of Sluice, {name: value}: the defaults are those of this repository."""
        return documented_settings() | self._lab.settings

    def set_properties(self, component, values):
        """Change some of Sluice's settings."""
        self._lab.change_settings(values)

    preset_properties = set_properties

    def network_configuration(self, application):
        """None: what hosts and links have is in their own configuration and the topology's."""
        return {}

    def set_network_configuration(self, application, key, value):
        """Of no effect."""

    def devices(self, timeout_seconds=20):
        """None: it has no switches."""
        return {}

    def hosts(self):
        """None: it has no store of hosts."""
        return []

    def links(self):
        """None: it finds no links."""
        return []
