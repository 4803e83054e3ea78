# SPDX-License-Identifier: Apache-2.0
"""What a controller held before Sluice was deployed on it, and restoring that."""

import contextlib
import json

from testbed.control import tenancy
from testbed.control.rest import RestError
from testbed.control.sluice import APPLICATION, COMPONENT, Sluice
from testbed.system import polling
from testbed.system.errors import LabError


class ControllerState:
    """Properties, network configuration, tenants, devices and hosts as they are when it is made."""

    def __init__(self, onos, machines, is_installed):
        self._onos = onos
        self._sluice_root = Sluice(onos).root
        self._machines = machines
        self._before = self._read()
        if is_installed:
            self._require_free_tenants()

    def _read(self):
        return {
            "state": self._onos.application_state(APPLICATION),
            "properties": self._onos.properties(COMPONENT),
            "netcfg": self._onos.network_configuration(APPLICATION),
            "devices": set(self._onos.devices()),
            "hosts": set(self._onos.hosts()),
        }

    def _require_free_tenants(self):
        listing = self._onos.get(f"{self._sluice_root}/tenants")["tenants"]
        own = {tenancy.tenant_of(machine) for machine in self._machines}
        clash = own & {tenant["id"] for tenant in listing}
        if clash:
            raise LabError(
                f"Sluice there has tenants named {', '.join(sorted(clash))}: the experiment needs"
                " these names for itself"
            )

    def restore(self, switches):
        """Restore it after the switches were stopped; returns what still differs, as lines."""
        self._restore_configuration()
        if self._before["state"] is None:
            with contextlib.suppress(RestError):
                self._onos.uninstall(APPLICATION)
        # ONOS removes only devices that it has as unavailable.
        own = {switch.device_id for switch in switches}
        polling.until(
            lambda: (
                not any(
                    is_available
                    for name, is_available in self._onos.devices().items()
                    if name in own
                )
            ),
            "ONOS to detect that the switches were stopped",
            timeout_seconds=30,
        )
        for kind, listing in (("devices", self._onos.devices), ("hosts", self._onos.hosts)):
            for item in set(listing()) - self._before[kind]:
                self._onos.forget(kind, item)
        return self._differences()

    def _restore_configuration(self):
        for host in self._machines:
            with contextlib.suppress(RestError):
                self._onos.request(
                    "DELETE", f"{self._sluice_root}/tenants/{tenancy.tenant_of(host)}"
                )
        before = self._before["properties"]
        for name, value in self._onos.properties(COMPONENT).items():
            if value == before.get(name):
                continue
            if name in before:
                self._onos.set_properties(COMPONENT, {name: before[name]})
            else:
                self._onos.unset_property(COMPONENT, name)
        if self._before["netcfg"]:
            for key, value in self._before["netcfg"].items():
                self._onos.set_network_configuration(APPLICATION, key, value)
        else:
            self._onos.clear_network_configuration(APPLICATION)

    def _differences(self):
        return [
            f"ONOS: {name} is {_show(value)}, was {_show(self._before[name])}"
            for name, value in self._read().items()
            if value != self._before[name]
        ]


def _show(value):
    return json.dumps(sorted(value) if isinstance(value, set) else value)
