# SPDX-License-Identifier: Apache-2.0
"""When an ONOS is truly ready: it answers, its applications run, its components too."""

import json

from karaf import rest
from karaf.errors import LauncherError
from karaf.process import Process
from karaf.settings import Settings

from launcher import components

REQUIRED_APPLICATIONS = (
    "org.onosproject.drivers",
    "org.onosproject.openflow-base",
    "org.onosproject.lldpprovider",
    "org.onosproject.hostprovider",
    "org.onosproject.openflow",
)
_USER = "onos:rocks"
_OPENFLOW_BUNDLE = "org.sluice.lab-onos-openflow"


def missing(process: Process, settings: Settings) -> str | None:
    """What an ONOS still lacks, None when it is ready."""
    return _missing_application(settings) or _missing_component(process, settings)


def _missing_application(settings: Settings) -> str | None:
    status, body = rest.get(f"{settings.url}/onos/v1/applications", _USER) or (None, b"")
    if status != rest.OK:
        return "REST does not answer"
    states = {each["name"]: each["state"] for each in json.loads(body)["applications"]}
    waiting = [name for name in REQUIRED_APPLICATIONS if states.get(name) != "ACTIVE"]
    return f"applications not active: {', '.join(waiting)}" if waiting else None


def _missing_component(process: Process, settings: Settings) -> str | None:
    try:
        listed = components.listed(settings.reachable_address, settings.ssh_port)
    except LauncherError as error:
        return str(error)
    unsatisfied = [each.name for each in listed if not each.is_satisfied]
    if unsatisfied:
        return f"components not satisfied: {', '.join(unsatisfied)}"
    if not any(each.bundle == _OPENFLOW_BUNDLE for each in listed):
        return "the OpenFlow providers have no components yet"
    if settings.openflow_port not in process.listening_ports:
        return f"nothing listens for switches on port {settings.openflow_port}"
    return None
