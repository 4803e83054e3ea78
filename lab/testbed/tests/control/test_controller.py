# SPDX-License-Identifier: Apache-2.0
"""Choosing and checking a controller; tenants."""

import argparse

import pytest

from testbed.control import controller, tenancy
from testbed.system.errors import LabError


class FakeOnos:
    """Application states only."""

    def __init__(self, **states):
        self.states = {name: "ACTIVE" for name in controller.REQUIRED_APPLICATIONS}
        self.states.update({name.replace("_", "."): state for name, state in states.items()})

    def application_state(self, name):
        return self.states.get(name)


@pytest.mark.parametrize("version", ["2.5.6", "2.7.0", "2.7.1-SNAPSHOT", "2.10.0"])
def test_suitable_versions(version):
    controller.check_version(version)


@pytest.mark.parametrize("version", ["1.15.0", "2.4.0", "3.0.0"])
def test_unsuitable_versions_are_named(version):
    with pytest.raises(LabError, match=version):
        controller.check_version(version)


def test_applications_as_needed():
    controller.check_applications(FakeOnos(), installed=False)
    controller.check_applications(FakeOnos(org_sluice="ACTIVE"), installed=True)


@pytest.mark.parametrize(
    ("states", "installed", "words"),
    [
        ({"org_onosproject_hostprovider": "INSTALLED"}, False, "app activate org.onosproject.host"),
        ({"org_onosproject_fwd": "ACTIVE"}, False, "app deactivate org.onosproject.fwd"),
        ({"org_sluice": "ACTIVE"}, False, "--installed"),
        ({"org_sluice": "INSTALLED"}, True, "is INSTALLED"),
        ({}, True, "not installed"),
    ],
)
def test_unsuitable_applications_are_refused_with_a_remedy(states, installed, words):
    with pytest.raises(LabError, match=words):
        controller.check_applications(FakeOnos(**states), installed)


def test_option_before_environment(monkeypatch):
    monkeypatch.setenv(controller.ENVIRONMENT_VARIABLE, "http://127.0.0.2:8181")
    assert controller.locate(argparse.Namespace(onos="http://h:1")) == "http://h:1"
    assert controller.locate(argparse.Namespace(onos=None)) == "http://127.0.0.2:8181"
    monkeypatch.delenv(controller.ENVIRONMENT_VARIABLE)
    assert controller.locate(argparse.Namespace(onos=None)) is None


def test_each_host_has_a_tenant_of_its_own():
    assert tenancy.tenant_of("h3") == "t3"
    assert tenancy.tenant("h3", 2) == {"weight": 2, "members": [{"ipPrefix": "10.0.0.3/32"}]}


def test_an_application_that_was_not_built_is_named(tmp_path):
    absent = str(tmp_path / "absent.kar")
    with pytest.raises(LabError, match=r"absent\.kar is missing: build it"):
        controller.archive(argparse.Namespace(archive=absent, controller="odl", line=None))


def test_only_opendaylight_has_lines():
    with pytest.raises(LabError, match=r"--line 0\.20\.1: give --controller odl"):
        controller.archive(argparse.Namespace(archive=None, controller="onos", line="0.20.1"))


def test_only_an_onos_can_be_anothers():
    options = argparse.Namespace(onos="http://h:1", controller="odl")
    with pytest.raises(LabError, match="--controller odl is one of the lab's own"):
        controller.external(options)


def test_several_nodes_have_the_ports_that_each_has_by_itself():
    options = argparse.Namespace(
        onos="http://h:1,http://i:1", controller="onos", openflow="h:6653", onos_ssh=None
    )
    with pytest.raises(LabError, match="several nodes: leave out --openflow"):
        controller.external(options)
