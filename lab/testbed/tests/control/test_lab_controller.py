# SPDX-License-Identifier: Apache-2.0
"""What results report of the lab's own controllers."""

import json
from types import SimpleNamespace

from testbed.control.lab_onos import LabOnos
from testbed.control.lab_opendaylight import LabOpenDaylight
from testbed.system.errors import LabError
from testbed.tests.builders import controller


def started(kind, tmp_path, uses):
    """A controller of a kind whose launcher reports these (CPU seconds, MiB) one after the other.

    After the last of them it does not run.
    """
    lab_run = SimpleNamespace(environment={}, controller_directory=tmp_path)
    own = kind(lab_run, "10.9.0.1")
    left = iter(uses)

    def call(command, *arguments, timeout_seconds):
        if command != "status":
            return ""
        for cpu_seconds, resident_mib in left:
            return json.dumps({"cpuSeconds": cpu_seconds, "residentMib": resident_mib})
        raise LabError("it does not run")

    own.call = call
    own.launch(SimpleNamespace(version=lambda: "1"))
    return own


def test_both_kinds_report_what_their_process_took_alike(tmp_path):
    for kind in (LabOnos, LabOpenDaylight):
        own = started(kind, tmp_path, [(20.04, 600), (31.5, 640)])
        own.stop()
        document = controller(own).as_json()
        assert list(document) == [
            *("name", "version", "bootSeconds", "bootCpuSeconds"),
            *("seconds", "cpuSeconds", "residentMib"),
        ]
        assert (document["bootCpuSeconds"], document["cpuSeconds"]) == (20.0, 11.5)
        assert document["residentMib"] == 640


def test_one_that_has_ended_by_itself_has_what_it_had_used_when_last_asked(tmp_path):
    own = started(LabOnos, tmp_path, [(20, 600)])
    own.stop()
    assert controller(own).as_json()["residentMib"] == 600
