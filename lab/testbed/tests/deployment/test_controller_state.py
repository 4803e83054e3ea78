# SPDX-License-Identifier: Apache-2.0
"""A controller that the user names is as before after an experiment."""

from testbed.deployment.controller_state import ControllerState


class FakeOnos:
    """An ONOS without Sluice."""

    sluice_path = "/onos/sluice"

    def __init__(self):
        self.requests = []

    def application_state(self, name):
        return None

    def properties(self, component):
        return {}

    def network_configuration(self, application):
        return {}

    def clear_network_configuration(self, application):
        self.requests.append(("CLEAR", application))

    def devices(self):
        return {}

    def hosts(self):
        return []

    def uninstall(self, name):
        self.requests.append(("UNINSTALL", name))

    def request(self, method, path):
        self.requests.append((method, path))


def test_the_machines_tenants_are_removed():
    onos = FakeOnos()
    assert ControllerState(onos, ["h1", "h11"], is_installed=False).restore([]) == []
    assert onos.requests[:2] == [
        ("DELETE", "/onos/sluice/v1/tenants/t1"),
        ("DELETE", "/onos/sluice/v1/tenants/t11"),
    ]
    assert ("UNINSTALL", "org.sluice") in onos.requests
