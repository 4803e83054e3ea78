# SPDX-License-Identifier: Apache-2.0
"""Flow, meter and group modifications that controllers send to switches."""

import re

from testbed.system import polling

# The messages by which a controller changes a switch.
MODIFICATION = re.compile(r"\bOFPT_(FLOW|METER|GROUP|TABLE|PORT)_MOD\b")
MESSAGE = re.compile(r"\bOFPT_[A-Z_]+")
FIRST_MESSAGE_SECONDS = 20  # an idle connection has echo requests


class ModificationMonitor:
    """Captures the OpenFlow messages of every switch from start() to stop()."""

    def __init__(self, switches, directory):
        self._files = [(switch, directory / f"openflow-{switch.name}.log") for switch in switches]
        self._processes = []

    def start(self):
        """Begin, and return once a message of every switch was captured."""
        for switch, path in self._files:
            with open(path, "wb") as log:
                self._processes.append(switch.snoop(log))
        for switch, path in self._files:
            polling.until(
                lambda p=path: MESSAGE.search(_text(p)),
                f"an OpenFlow message between {switch.name} and its controller",
                timeout_seconds=FIRST_MESSAGE_SECONDS,
            )

    def stop(self):
        """End; may be called again."""
        for process in self._processes:
            if process.poll() is None:
                process.terminate()
            process.wait(timeout=5)

    def seen(self):
        """Every modification captured so far, as "switch: message"."""
        return [
            f"{switch.name}: {line.strip()}"
            for switch, path in self._files
            for line in _text(path).splitlines()
            if MODIFICATION.search(line)
        ]


def _text(path):
    return path.read_text(encoding="utf-8", errors="replace")
