# SPDX-License-Identifier: Apache-2.0
"""The states of ONOS's components, from `scr:list`; an application's ACTIVE proves nothing."""

import dataclasses
import re

from karaf import shell

_COMPONENT = re.compile(
    r"^(?P<name>\S+) in bundle (?P<bundle>\d+) \((?P<symbolic>[^:)]+)[^)]*\) "
    r"(?P<enabled>enabled|disabled)"
)
_INSTANCE = re.compile(r"^\s+Id: \d+, State:(?P<state>[^,]+)")
_GOOD_STATES = ("ACTIVE", "SATISFIED")


@dataclasses.dataclass
class Component:
    """One enabled component; it has no state while it waits for its configuration."""

    name: str
    bundle: str
    states: list[str]

    @property
    def is_satisfied(self) -> bool:
        return bool(self.states) and all(state in _GOOD_STATES for state in self.states)


def listed(address: str, ssh_port: int) -> list[Component]:
    """All enabled components of a running ONOS."""
    # Without the pipe Karaf's shell prints no result over a non-interactive ssh.
    return parse(shell.run(address, ssh_port, "scr:list | cat"))


def parse(text: str) -> list[Component]:
    """Reads the output of `scr:list`."""
    components: list[Component] = []
    current: Component | None = None
    for line in text.splitlines():
        found = _COMPONENT.match(line)
        if found:
            current = Component(found["name"], found["symbolic"], [])
            if found["enabled"] == "enabled":
                components.append(current)
            continue
        instance = _INSTANCE.match(line)
        if instance and current is not None:
            current.states.append(instance["state"].strip())
    return components
