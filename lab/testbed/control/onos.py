# SPDX-License-Identifier: Apache-2.0
"""ONOS's REST interface."""

import base64
import contextlib
import http.client
import json
import urllib.error
import urllib.request
from pathlib import Path

from testbed.system.errors import LabError

NOT_FOUND = 404


class RestError(LabError):
    """A request that was answered with an error status."""

    def __init__(self, method, url, status, reason):
        super().__init__(f"{method} {url}: {status} {reason}")
        self.status = status


class Onos:
    """One controller's REST interface. All errors are LabErrors that name the request."""

    def __init__(self, url, user, password):
        self.url = url.rstrip("/")
        self._authorization = base64.b64encode(f"{user}:{password}".encode()).decode()

    def request(self, method, path, body=None, timeout_seconds=20):
        """Send a request below the root; returns the decoded JSON answer, or None if empty.

        body: bytes for a file, anything else is sent as JSON.
        """
        url = self.url + path
        request = urllib.request.Request(url, method=method)
        request.add_header("Authorization", f"Basic {self._authorization}")
        # Sluice changes nothing without it: pages of another origin cannot send it.
        request.add_header("X-Requested-With", "lab")
        if isinstance(body, bytes):
            request.add_header("Content-Type", "application/octet-stream")
            request.data = body
        elif body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, timeout=timeout_seconds) as answer:
                text = answer.read()
        except urllib.error.HTTPError as refused:
            raise RestError(method, url, refused.code, _reason(refused)) from refused
        except (OSError, http.client.HTTPException) as unreachable:
            raise LabError(f"{method} {url}: {unreachable}") from unreachable
        try:
            return json.loads(text) if text.strip() else None
        except json.JSONDecodeError:
            return None

    def get(self, path):
        """GET; LabError when there is no such resource."""
        return self.request("GET", path)

    def find(self, path):
        """GET; None when there is no such resource."""
        try:
            return self.get(path)
        except RestError as missing:
            if missing.status == NOT_FOUND:
                return None
            raise

    def version(self):
        """ONOS's version."""
        return self.get("/onos/v1/system")["version"]

    def application_state(self, name):
        """State of an application such as ACTIVE; None when it is not installed."""
        application = self.find(f"/onos/v1/applications/{name}")
        return None if application is None else application["state"]

    def install(self, archive):
        """Install and activate an application from its .oar file."""
        self.request(
            "POST",
            "/onos/v1/applications?activate=true",
            Path(archive).read_bytes(),
            timeout_seconds=90,
        )

    def deactivate(self, name):
        """Deactivate an application."""
        self.request("DELETE", f"/onos/v1/applications/{name}/active", timeout_seconds=60)

    def uninstall(self, name):
        """Remove an application."""
        self.request("DELETE", f"/onos/v1/applications/{name}", timeout_seconds=60)

    def properties(self, component):
        """A component's properties {name: value}; empty when it has none or does not exist."""
        answer = self.find(f"/onos/v1/configuration/{component}") or {}
        return answer.get(component, {})

    def set_properties(self, component, values):
        """Change some of a component's properties."""
        self.request("POST", f"/onos/v1/configuration/{component}", values)

    def preset_properties(self, component, values):
        """Set properties of a component that does not exist yet: it starts with them."""
        self.request("POST", f"/onos/v1/configuration/{component}?preset=true", values)

    def unset_property(self, component, name):
        """Return a property to its default."""
        self.request("DELETE", f"/onos/v1/configuration/{component}", {name: ""})

    def network_configuration(self, application):
        """An application's network configuration; {} for none."""
        return self.find(f"/onos/v1/network/configuration/apps/{application}") or {}

    def set_network_configuration(self, application, key, value):
        """Put one entry of an application's network configuration."""
        self.request("POST", f"/onos/v1/network/configuration/apps/{application}/{key}", value)

    def clear_network_configuration(self, application):
        """Remove an application's network configuration."""
        self.request("DELETE", f"/onos/v1/network/configuration/apps/{application}")

    def add_flows(self, flows):
        """Install flow rules (document of POST /flows) on behalf of another application."""
        self.request("POST", "/onos/v1/flows?appId=org.onosproject.rest", flows)

    def devices(self, timeout_seconds=20):
        """{device id: whether it is available}."""
        answer = self.request("GET", "/onos/v1/devices", timeout_seconds=timeout_seconds)
        listing = answer["devices"]
        return {device["id"]: device["available"] for device in listing}

    def hosts(self):
        """Ids of the hosts in ONOS's store."""
        return [host["id"] for host in self.get("/onos/v1/hosts")["hosts"]]

    def links(self):
        """[(from port, to port)] as DEVICE/PORT."""
        listing = self.get("/onos/v1/links")["links"]
        ends = [(link["src"], link["dst"]) for link in listing]
        return [tuple(f"{end['device']}/{end['port']}" for end in pair) for pair in ends]

    def forget(self, kind, item):
        """Remove a device or host from ONOS's stores, if it is still there."""
        with contextlib.suppress(RestError):
            self.request("DELETE", f"/onos/v1/{kind}/{urllib.request.quote(item, safe='')}")


def _reason(refused):
    """The reason in a problem document or in ONOS's own error answer."""
    text = refused.read().decode(errors="replace")
    try:
        answer = json.loads(text)
    except json.JSONDecodeError:
        is_page = text.lstrip().startswith("<")
        return refused.reason if is_page else text.strip()[:200] or refused.reason
    return answer.get("detail") or answer.get("message") or answer.get("title") or text[:200]
