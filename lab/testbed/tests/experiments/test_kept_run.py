# SPDX-License-Identifier: Apache-2.0
"""What a kept run tells its user."""

from types import SimpleNamespace

import pytest

from testbed.control.controller import Controller
from testbed.control.onos import Onos
from testbed.experiments.dumbbell import experiment as dumbbell
from testbed.runs.registry import Run


def site(is_foreign, installed=False):
    onos = Onos("http://10.9.0.1:21489", "onos", "rocks")
    chosen = Controller(onos, "10.9.0.1", 6653, 26236, "10.9.0.1", "2.5.6", is_foreign)
    machines = {"h1": SimpleNamespace(netns="slc-594b-vm1")}
    network = SimpleNamespace(lab_run=Run("594b"), machines=machines)
    return SimpleNamespace(
        controller=chosen, network=network, options=SimpleNamespace(installed=installed)
    )


def test_every_way_in_and_the_way_out_are_told():
    told = dumbbell.what_is_up(site(is_foreign=False))
    for words in (
        "http://10.9.0.1:21489/onos/sluice/v1/tenants",
        "http://10.9.0.1:21489/onos/sluice/ui",
        "ssh -p 26236 karaf@10.9.0.1",
        "slc-594b-vm1",
        "lab/run cleanup 594b",
    ):
        assert words in told
    assert "Sluice stays installed" not in told


@pytest.mark.parametrize(("installed", "is_said"), [(False, True), (True, False)])
def test_what_stays_on_somebody_elses_onos_is_said(installed, is_said):
    told = dumbbell.what_is_up(site(is_foreign=True, installed=installed))
    assert ("Sluice stays installed" in told) is is_said
