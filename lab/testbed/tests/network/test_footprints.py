# SPDX-License-Identifier: Apache-2.0
"""How two snapshots differ."""

from testbed.network import footprints


def test_additions_and_removals_are_listed():
    assert footprints.differences("h1", ["a", "b"], ["b", "c"]) == ["h1: c", "h1: removed: a"]
