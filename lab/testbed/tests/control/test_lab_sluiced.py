# SPDX-License-Identifier: Apache-2.0
"""How the lab's sluiced is configured, and how its settings are changed while it runs."""

import json
from pathlib import Path
from types import SimpleNamespace

from testbed.control.lab_sluiced import LabSluiced
from testbed.control.sluiced import Sluiced
from testbed.network.plan import DUMBBELL


def sluiced(tmp_path):
    lab_run = SimpleNamespace(environment={}, controller_directory=tmp_path)
    own = LabSluiced(lab_run, "10.9.0.1")
    own.pki_directory = Path("/pki")
    return own


def test_without_a_network_the_fabric_is_one_big_switch_and_receivers_mark(tmp_path):
    document = sluiced(tmp_path).configuration()
    assert document["receiversMark"]
    assert "topology" not in document
    assert document["settings"]["agentLinkKey"] == "/pki/controller.key"


def test_rest_is_served_in_the_clear_on_the_loopback_alone(tmp_path):
    own = sluiced(tmp_path)
    assert own.configuration()["web"] == {"listen": [own.url]}
    assert own.url.startswith("http://127.0.0.1:")


def test_it_starts_with_the_archive_of_classes_that_was_built(tmp_path):
    own = sluiced(tmp_path)
    own.archive = tmp_path / "sluiced.jar"
    assert not any("SharedArchiveFile" in word for word in own._command("run"))
    (tmp_path / "classes.jsa").touch()
    assert f"-XX:SharedArchiveFile={tmp_path}/classes.jsa" in own._command("run")


def test_a_network_whose_queues_mark_is_written_down(tmp_path):
    own = sluiced(tmp_path)
    own.expect_network(DUMBBELL, 50)
    own.change_settings({"enforcement": "off"})
    document = json.loads((tmp_path / "sluiced.yaml").read_text())
    assert not document["receiversMark"]
    topology = json.loads(Path(document["topology"]).read_text())
    assert topology["switches"] == {"s1": "of:0000000000000001", "s2": "of:0000000000000002"}
    assert topology["links"] == [{"ends": ["s1/5", "s2/5"], "capacityMbps": 50}]
    assert topology["hosts"]["h5"] == "s2/1"


def test_settings_are_those_of_the_documents_and_what_was_changed(tmp_path):
    own = sluiced(tmp_path)
    api = Sluiced(own)
    assert api.properties("any")["enforcement"] == "on"
    api.set_properties("any", {"enforcement": "off", "agentLinkPort": 6681})
    assert api.properties("any")["enforcement"] == "off"
    settings = json.loads((tmp_path / "sluiced.yaml").read_text())["settings"]
    assert settings["agentLinkPort"] == "6681"
