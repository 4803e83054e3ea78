# SPDX-License-Identifier: Apache-2.0
"""Sluice's REST interface as experiments use it."""

from testbed.control.sluice import Sluice


class FakeApi:
    sluice_path = "/onos/sluice"

    def __init__(self):
        self.requests = []

    def request(self, method, path, body=None):
        self.requests.append((method, path))
        return {"id": 7}


def test_a_flow_is_registered_and_withdrawn():
    api = FakeApi()
    sluice = Sluice(api)
    sluice.delete_flow(sluice.register_flow({"sizeBytes": 1})["id"])
    assert api.requests == [
        ("POST", "/onos/sluice/v1/flows"),
        ("DELETE", "/onos/sluice/v1/flows/7"),
    ]
