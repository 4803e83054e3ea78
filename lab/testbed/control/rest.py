# SPDX-License-Identifier: Apache-2.0
"""Requests to a controller's REST interfaces."""

import base64
import http.client
import json
import urllib.error
import urllib.request

from testbed.system.errors import LabError

NOT_FOUND = 404


class RestError(LabError):
    """A request that was answered with an error status."""

    def __init__(self, method, url, status, reason):
        super().__init__(f"{method} {url}: {status} {reason}")
        self.status = status


class Rest:
    """One REST interface of a user's. All errors are LabErrors that name the request."""

    def __init__(self, url, user, password):
        self.url = url.rstrip("/")
        self._authorization = base64.b64encode(f"{user}:{password}".encode()).decode()

    def request(self, method, path, body=None, timeout_seconds=20, headers=None):
        """Send a request below the root; returns the decoded JSON answer, or None if empty.

        body: bytes for a file, anything else is sent as JSON.
        """
        return self._exchange(method, path, body, timeout_seconds, headers or {})[0]

    def _exchange(self, method, path, body, timeout_seconds, headers):
        """(decoded answer, its headers)."""
        url = self.url + path
        request = urllib.request.Request(url, method=method)
        request.add_header("Authorization", f"Basic {self._authorization}")
        for name, value in headers.items():
            request.add_header(name, value)
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
                text, answered = answer.read(), answer.headers
        except urllib.error.HTTPError as refused:
            raise RestError(method, url, refused.code, _reason(refused)) from refused
        except (OSError, http.client.HTTPException) as unreachable:
            raise LabError(f"{method} {url}: {unreachable}") from unreachable
        try:
            return (json.loads(text) if text.strip() else None), answered
        except json.JSONDecodeError:
            return None, answered

    def get_tagged(self, path):
        """GET: (answer, ETag)."""
        answer, headers = self._exchange("GET", path, None, 20, {})
        return answer, headers["ETag"]

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


def _reason(refused):
    """The reason in a problem document or in ONOS's own error answer."""
    text = refused.read().decode(errors="replace")
    try:
        answer = json.loads(text)
    except json.JSONDecodeError:
        is_page = text.lstrip().startswith("<")
        return refused.reason if is_page else text.strip()[:200] or refused.reason
    return answer.get("detail") or answer.get("message") or answer.get("title") or text[:200]
