# SPDX-License-Identifier: Apache-2.0
"""A controller's REST, as far as launchers use it."""

import base64
import http.client
import urllib.error
import urllib.request

OK = 200


def get(url: str, user: str, timeout_seconds: float = 5) -> tuple[int, bytes] | None:
    """Status and body of a response; None while there is none.

    user: NAME:PASSWORD.
    """
    request = urllib.request.Request(url)
    request.add_header("Authorization", "Basic " + base64.b64encode(user.encode()).decode())
    try:
        # A proxy from the environment must not come between us and a loopback address.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=timeout_seconds) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()
    except (OSError, http.client.HTTPException):
        return None
