# SPDX-License-Identifier: Apache-2.0
"""Policy sets of the turns: Sluice's presets, and their single hints."""

import json

from testbed.system import repository

PRESETS = repository.ROOT / "api" / "policies"


def preset(name, cycle_seconds):
    """A preset, evaluated so often."""
    text = (PRESETS / f"{name}.json").read_text(encoding="utf-8")
    return json.loads(text) | {"cycleSeconds": cycle_seconds}


def with_one_hint(policies, hint):
    """The same set, whose policies hint this alone."""
    return policies | {
        "name": f"{policies['name']}-{hint}",
        "policies": [
            policy | {"hints": {hint: policy["hints"][hint]}} for policy in policies["policies"]
        ],
    }
