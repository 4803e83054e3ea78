# SPDX-License-Identifier: Apache-2.0
"""REST as ONOS's own Jersey and Jetty serve it."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection, IncompleteRead

import pytest
from controller import Controller
from events import Event, Stream
from sluice import APPLICATION, REST, START_SECONDS, installed
from waiting import eventually

MOST_READERS = 32

EVERYTHING = [
    "topology",
    "tenants",
    "hosts",
    "findings",
    "cluster",
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


def test_an_unauthenticated_request_gets_a_problem_document(sluice: Controller):
    for user in ("onos:wrong", "nobody:rocks", ":"):
        for method, body in (("GET", None), ("PUT", {}), ("PATCH", {}), ("DELETE", None)):
            status, problem = sluice.request(method, f"{REST}/tenants/default", body, user=user)
            assert status == 401, (user, method, problem)
            assert problem["type"] == "urn:sluice:problem:unauthorized", (user, method)
    assert sluice.request("GET", f"{REST}/none", user="onos:wrong")[0] == 401
    assert sluice.request("GET", f"{REST}/metrics", user="onos:wrong")[0] == 401
    assert sluice.request("GET", f"{REST}/tenants/default")[0] == 200


def test_no_spelling_of_a_path_bypasses_the_login(sluice: Controller):
    def status(method: str, path: str) -> int:
        connection = HTTPConnection(sluice.bind, sluice.ports["rest"], timeout=20)
        try:
            # As it stands: nothing in between shortens or encodes it.
            connection.putrequest(method, f"/onos/{REST}{path}")
            connection.endheaders()
            response = connection.getresponse()
            assert b'"tenants":' not in response.read(), (method, path)
            return response.status
        finally:
            connection.close()

    for path in ("/tenants", "/stream", "/metrics", "/openapi.json", "/application.wadl", "/"):
        for method in ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "get"):
            assert status(method, path) == 401, (method, path)
        # Before any servlet: there ONOS's web server throws, and logs, an exception.
        assert status("TRACE", path) == 403, path
    assert "TRACE method is disabled" not in sluice.log()
    for path in (
        "/tenants;x=1",
        "/;x=1/tenants",
        "/ten%61nts",
        "//tenants",
        "/x/../tenants",
        "/%2e/tenants",
        "/x/..;/tenants",
        "/tenants%00",
        "/stream;x=1",
        "/WEB-INF/web.xml",
        "/WEB-INF;/web.xml",
    ):
        assert status("GET", path) in (400, 401, 404), path


def test_a_tenant_is_changed_only_in_the_version_that_was_read(sluice: Controller):
    path = f"{REST}/tenants/seen"
    assert sluice.request("PUT", path, {"weight": 2}, headers={"If-None-Match": "*"})[0] == 201
    tag = sluice.headers(path)["ETag"]
    assert sluice.request("GET", path, headers={"If-None-Match": tag})[0] == 304
    assert sluice.request("PUT", path, {"weight": 3}, headers={"If-Match": tag})[0] == 200
    status, problem = sluice.request("PATCH", path, {"weight": 4}, headers={"If-Match": tag})
    assert (status, problem["type"]) == (412, "urn:sluice:problem:stale")
    assert sluice.request("DELETE", path, headers={"If-Match": tag})[0] == 412
    assert sluice.get(path)["weight"] == 3
    assert sluice.request("DELETE", path)[0] == 204


def test_all_tenants_are_replaced_at_once(sluice: Controller):
    before = {"tenants": sluice.get(f"{REST}/tenants")["tenants"]}
    wanted = {"tenants": [{"id": "x1", "weight": 2}, {"id": "x2"}]}
    would = sluice.request("PUT", f"{REST}/tenants?dryRun=true", wanted)[1]
    assert (would["applied"], would["created"]) == (False, ["x1", "x2"])
    assert sluice.get(f"{REST}/tenants")["tenants"] == before["tenants"]
    made = sluice.request("PUT", f"{REST}/tenants", wanted)[1]
    assert made == would | {"applied": True}
    names = [each["id"] for each in sluice.get(f"{REST}/tenants")["tenants"]]
    assert names == ["default", "x1", "x2"]
    refused = {"tenants": [{"id": "x1", "weight": 0}, {"id": "x2", "guaranteeBitsPerSecond": -1}]}
    status, problem = sluice.request("PUT", f"{REST}/tenants", refused)
    assert status == 400
    assert [each["pointer"] for each in problem["refusals"]] == [
        "/tenants/0/weight",
        "/tenants/1/guaranteeBitsPerSecond",
    ]
    assert sluice.request("PUT", f"{REST}/tenants", before)[0] == 200


def test_too_long_bodies_and_invalid_utf_8_are_refused(sluice: Controller):
    long = {"id": "x" * 5_000_000}
    for path in ("tenants/t9", "tenants", "policies"):
        assert sluice.request("PUT", f"{REST}/{path}", long)[0] == 413, path
    utf_16 = {"Content-Type": "application/json; charset=utf-16"}
    assert sluice.request("PUT", f"{REST}/tenants/t9", {}, headers=utf_16)[0] == 415
    assert sluice.request("PUT", f"{REST}/tenants/t9?x=1", {})[0] == 400
    assert sluice.request("GET", f"{REST}/tenants/t9")[0] == 404


def test_a_closed_stream_frees_its_slot(sluice: Controller):
    streams: list[Stream] = []

    def are_all_taken() -> bool:
        while len(streams) < MOST_READERS:
            stream = Stream(sluice, f"{REST}/stream")
            if stream.response.status != 200:  # a reader of another test left a moment ago
                stream.__exit__()
                return False
            streams.append(stream)
        return True

    try:
        eventually("all places", are_all_taken, START_SECONDS)
        assert sluice.request("GET", f"{REST}/stream")[0] == 503
        assert sluice.request("GET", f"{REST}/tenants")[0] == 200
    finally:
        for each in streams:
            each.__exit__()

    eventually("a place", lambda: _is_served(sluice), START_SECONDS)


def _is_served(sluice: Controller) -> bool:
    with Stream(sluice, f"{REST}/stream") as stream:
        return stream.response.status == 200


def test_streams_end_with_the_application(sluice: Controller):
    """The last one: it deactivates the application."""
    eventually("a place", lambda: _is_served(sluice), START_SECONDS)
    with Stream(sluice, f"{REST}/stream") as stream:
        stream.until(_is_time)
        assert "sluice-stream" in _threads(sluice)
        assert sluice.request("DELETE", f"v1/applications/{APPLICATION}/active")[0] < 300
        # The web application may be gone before the last chunk, which has no event.
        with suppress(IncompleteRead):
            assert all(each.id for each in stream.events())

    def are_gone() -> bool:
        threads = _threads(sluice)
        return "sluice-stream" not in threads and "org.sluice.rest.stream" not in threads

    eventually("no thread of the stream", are_gone, START_SECONDS)
