# SPDX-License-Identifier: Apache-2.0
"""Reads server-sent events from ONOS, as a browser does."""

import http.client
import json
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from controller import Controller


class Event(NamedTuple):
    """One event."""

    name: str
    data: Any
    id: str


class Stream:
    """An open stream; a context manager that closes it."""

    def __init__(self, onos: Controller, path: str, last: str = "", user: str = "onos:rocks"):
        self._connection = http.client.HTTPConnection(onos.bind, onos.ports["rest"], timeout=20)
        headers = {
            "Accept": "text/event-stream",
            "Authorization": "Basic " + b64encode(user.encode()).decode(),
        }
        if last:
            headers["Last-Event-ID"] = last
        self._connection.request("GET", f"/onos/{path}", headers=headers)
        self.response = self._connection.getresponse()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_: object) -> None:
        self.response.close()
        self._connection.close()

    def events(self) -> Iterator[Event]:
        """Events until the stream ends."""
        fields: dict[str, str] = {}
        for line in self.response:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                fields[name] = value
            elif "data" in fields:
                yield Event(fields["event"], json.loads(fields["data"]), fields["id"])
                fields = {}

    def until(self, wanted: Callable[[Event], bool], seconds: float = 20) -> list[Event]:
        """Events up to the first that is wanted."""
        deadline = time.monotonic() + seconds
        read = []
        for event in self.events():
            read.append(event)
            if wanted(event):
                return read
            assert time.monotonic() < deadline, [each.name for each in read]
        raise AssertionError(f"the stream ended after {[each.name for each in read]}")
