# SPDX-License-Identifier: Apache-2.0
"""OpenDaylight as experiments use it: names, properties, documents."""

from types import SimpleNamespace

import pytest

from testbed.control.opendaylight import OpenDaylight
from testbed.control.rest import RestError

NODES = {"opendaylight-inventory:nodes": {"node": [{"id": "openflow:10"}, {"id": "openflow:1"}]}}
LINK = {"source": {"source-tp": "openflow:10:2"}, "destination": {"dest-tp": "openflow:1:3"}}
TOPOLOGY = {"network-topology:topology": [{"topology-id": "flow:1", "link": [LINK]}]}


class FakeLab:
    """A launcher that records what it is to do."""

    url = "http://192.0.2.1:8181"

    def __init__(self, directory, shown=""):
        self.archives = self.settings = directory
        self.shown = shown
        self.calls = []

    def call(self, *arguments, timeout_seconds):
        self.calls.append(arguments)
        return self.shown


def reading(document, directory):
    """An OpenDaylight whose data store has a document; a number is the status of a refusal."""
    made = OpenDaylight(FakeLab(directory))

    def request(method, path, timeout_seconds):
        if isinstance(document, int):
            raise RestError(method, path, document, "")
        return document

    made._restconf = SimpleNamespace(request=request)
    return made


def test_switches_have_sluices_names(tmp_path):
    devices = reading(NODES, tmp_path).devices()
    assert devices == {"of:000000000000000a": True, "of:0000000000000001": True}


def test_links_have_sluices_names_of_ports(tmp_path):
    links = reading(TOPOLOGY, tmp_path).links()
    assert links == [("of:000000000000000a/2", "of:0000000000000001/3")]


@pytest.mark.parametrize("status", [404, 409])
def test_what_is_not_in_the_data_store_is_none_of_it(tmp_path, status):
    made = reading(status, tmp_path)
    assert (made.devices(), made.links()) == ({}, [])


def test_another_refusal_is_an_error(tmp_path):
    with pytest.raises(RestError):
        reading(401, tmp_path).devices()


def test_properties_are_what_was_set_and_the_defaults_of_what_is_installed(tmp_path):
    made = OpenDaylight(FakeLab(tmp_path, "   service.pid = any\n   law = sdn-gcc\n"))
    assert made.properties("org.sluice") == {"law": "sdn-gcc"}
    (tmp_path / "sluice-1.kar").touch()
    properties = made.properties("org.sluice")
    assert (properties["enforcement"], properties["law"]) == ("on", "sdn-gcc")


def test_each_property_is_set_by_the_shell(tmp_path):
    lab = FakeLab(tmp_path)
    OpenDaylight(lab).set_properties("org.sluice", {"law": "sluice", "fastCountersPort": 7})
    assert lab.calls == [
        ("cli", "config:property-set --pid org.sluice law sluice"),
        ("cli", "config:property-set --pid org.sluice fastCountersPort 7"),
    ]


def test_the_operators_document_is_a_file_and_goes_with_the_settings(tmp_path):
    lab = FakeLab(tmp_path)
    made = OpenDaylight(lab)
    assert made.network_configuration("org.sluice") == {}
    made.set_network_configuration("org.sluice", "sluice", {"ports": {}})
    assert made.network_configuration("org.sluice") == {"ports": {}}
    made.uninstall("org.sluice")
    assert made.network_configuration("org.sluice") == {}
    assert lab.calls == [("cli", "config:delete org.sluice")]


def test_an_installed_archive_is_active(tmp_path):
    made = OpenDaylight(FakeLab(tmp_path))
    assert made.application_state("org.sluice") is None
    (tmp_path / "sluice-1.kar").touch()
    assert made.application_state("org.sluice") == "ACTIVE"
