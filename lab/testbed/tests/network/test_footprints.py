# SPDX-License-Identifier: Apache-2.0
"""How two snapshots differ."""

from testbed.network import footprints


def test_what_was_added_and_what_was_removed():
    assert footprints.differences("h1", ["a", "b"], ["b", "c"]) == ["h1: c", "h1: removed: a"]
