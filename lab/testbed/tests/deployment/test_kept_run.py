# SPDX-License-Identifier: Apache-2.0
"""What the user of a kept run is shown."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from testbed.deployment import kept_run
from testbed.runs.registry import Run
from testbed.tests.builders import controller


def deployment(is_external, installed=False):
    machines = {"h1": SimpleNamespace(netns="slc-594b-vm1")}
    network = SimpleNamespace(lab_run=Run("594b"), machines=machines)
    return SimpleNamespace(
        controller=controller(None if is_external else "own"),
        network=network,
        options=SimpleNamespace(installed=installed),
        metrics_targets=["10.9.0.16:9631"],
    )


def test_every_address_and_the_end_are_shown():
    shown = kept_run.describe(deployment(is_external=False))
    for text in (
        "http://10.9.0.1:21489/onos/sluice/v1/tenants",
        "http://10.9.0.1:21489/onos/sluice/ui",
        "ssh -p 26236 karaf@10.9.0.1",
        "http://10.9.0.1:21489/onos/sluice/v1/metrics",
        "http://10.9.0.16:9631/metrics",
        "slc-594b-vm1",
        "lab/run cleanup 594b",
    ):
        assert text in shown
    assert "Sluice stays installed" not in shown


def test_without_a_shell_none_is_shown():
    kept = deployment(is_external=False)
    kept.controller = replace(kept.controller, ssh_port=None)
    assert "ssh" not in kept_run.describe(kept)


@pytest.mark.parametrize(("installed", "is_shown"), [(False, True), (True, False)])
def test_settings_kept_on_an_external_onos_are_shown(installed, is_shown):
    shown = kept_run.describe(deployment(is_external=True, installed=installed))
    assert ("Sluice stays installed" in shown) is is_shown
