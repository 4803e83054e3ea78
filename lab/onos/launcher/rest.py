# SPDX-License-Identifier: Apache-2.0
"""ONOS's REST, as far as the launcher uses it."""

import base64
import json
import urllib.error
import urllib.request

_AUTHORIZATION = "Basic " + base64.b64encode(b"onos:rocks").decode()


def get(url: str, path: str, timeout_seconds: float = 5) -> dict | None:
    """Reads /onos/v1/PATH; None while ONOS does not answer it."""
    request = urllib.request.Request(f"{url}/onos/v1/{path}")
    request.add_header("Authorization", _AUTHORIZATION)
    try:
        # A proxy from the environment must not come between us and a loopback address.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=timeout_seconds) as response:
            return json.loads(response.read())
    except (urllib.error.URLError, OSError, ValueError):
        return None
