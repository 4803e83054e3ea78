# SPDX-License-Identifier: Apache-2.0
"""REST as ONOS's own Jersey and Jetty serve it."""

import json
import subprocess
from collections.abc import Iterator

import pytest
from controller import Controller, eventually
from events import Event, Stream
from sluice import APPLICATION, REST, START_SECONDS, installed

EVERYTHING = [
    "topology",
    "tenants",
    "hosts",
    "findings",
    "ports",
    "endpoints",
    "flows",
    "journal",
    "time",
]


@pytest.fixture(scope="module")
def sluice(onos: Controller) -> Iterator[Controller]:
    with installed(onos):
        yield onos


def _is_time(event: Event) -> bool:
    return event.name == "time"


def _threads(onos: Controller) -> str:
    pid = json.loads(onos.status().stdout)["pid"]
    return subprocess.run(
        ["jcmd", str(pid), "Thread.print"], capture_output=True, text=True, check=True
    ).stdout


def test_the_topology_is_the_networks(sluice: Controller):
    def topology() -> dict:
        return sluice.get(f"{REST}/topology")

    eventually("both directions of the link", lambda: len(topology()["links"]) == 2, START_SECONDS)
    switches = topology()["switches"]
    assert [each["datapath"] for each in switches] == ["of:0000000000000001", "of:0000000000000002"]
    assert all(each["available"] and each["name"] for each in switches)
    assert {
        (link[end]["datapath"][-1], link[end]["number"])
        for link in topology()["links"]
        for end in ("source", "target")
    } == {("1", 2), ("2", 2)}


def test_a_stream_begins_with_everything_and_follows_changes(sluice: Controller):
    with Stream(sluice, f"{REST}/stream") as stream:
        assert stream.response.headers["Content-Type"] == "text/event-stream"
        first = stream.until(_is_time)
        assert [each.name for each in first] == EVERYTHING
        assert first[1].data["rows"] == sluice.get(f"{REST}/tenants")["tenants"]
        assert sluice.request("PUT", f"{REST}/tenants/streamed", {"weight": 3})[0] == 201
        changed = stream.until(lambda event: event.name == "tenants")[-1]
        weights = {each["id"]: each["weight"] for each in changed.data["rows"]}
        assert weights["streamed"] == 3
        stream.until(_is_time)
        last = stream.until(_is_time)[-1]

    with Stream(sluice, f"{REST}/stream", last.id) as stream:
        assert not {"tenants", "endpoints"} & {each.name for each in stream.until(_is_time)}
    assert sluice.request("DELETE", f"{REST}/tenants/streamed")[0] == 204
    with Stream(sluice, f"{REST}/stream?lastEventId={last.id}") as stream:
        tenants = stream.until(lambda event: event.name == "tenants")[-1]
        assert "streamed" not in [each["id"] for each in tenants.data["rows"]]


def test_a_place_is_free_again_when_its_reader_has_left(sluice: Controller):
    streams = [Stream(sluice, f"{REST}/stream") for _ in range(32)]
    try:
        assert all(each.response.status == 200 for each in streams)
        assert sluice.request("GET", f"{REST}/stream")[0] == 503
        assert sluice.request("GET", f"{REST}/tenants")[0] == 200
    finally:
        for each in streams:
            each.__exit__()

    def is_served() -> bool:
        with Stream(sluice, f"{REST}/stream") as stream:
            return stream.response.status == 200

    eventually("a place", is_served, START_SECONDS)


def test_streams_end_with_the_application(sluice: Controller):
    """The last one: it deactivates the application."""
    with Stream(sluice, f"{REST}/stream") as stream:
        stream.until(_is_time)
        assert "sluice-stream" in _threads(sluice)
        assert sluice.request("DELETE", f"v1/applications/{APPLICATION}/active")[0] < 300
        assert all(each.id for each in stream.events())

    def are_gone() -> bool:
        threads = _threads(sluice)
        return "sluice-stream" not in threads and "org.sluice.rest.stream" not in threads

    eventually("no thread of the stream", are_gone, START_SECONDS)
