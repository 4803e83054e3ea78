# SPDX-License-Identifier: Apache-2.0
"""Changes and promises that are requested of all nodes while some of them fail."""

import threading
from collections import Counter

from testbed.control.rest import RestError
from testbed.control.tenancy import tenant_with
from testbed.network import addresses
from testbed.system.errors import LabError

TENANT = "writes"
FLOW_SOURCE, FLOW_BYTES = "h4", 20_000
# Far beyond a case, and not so far that an hour of a clock that is off would not end them.
BEGINS_MILLIS, DUE_MILLIS = 1_200_000, 1_800_000
FIRST_PORT = 20_000
PERIOD_SECONDS = 1.0
ACCEPTED, RACED, REFUSED, UNKNOWN = "accepted", "raced", "refused", "unknown"
PRECONDITION_FAILED, UNAVAILABLE = 412, 503
WAITING = "waiting"
BITS_PER_MEGABIT = 1_000_000


class Writers:
    """Context manager: one thread a node counts a tenant's ceiling up and registers deadlines.

    A request's outcome is ACCEPTED, RACED (another node's change came first), REFUSED, or UNKNOWN:
    there was no answer, or one (503) that leaves open whether it was carried out.
    """

    def __init__(self, nodes):
        self._nodes = list(nodes)
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._next_port = FIRST_PORT
        self.changes = Counter()
        self.promises = {}  # {port: (outcome, id)}
        self.refusals = Counter()
        self._threads = [
            threading.Thread(target=self._run, args=(node,), daemon=True) for node in self._nodes
        ]

    def __enter__(self):
        self._nodes[0].sluice.put_tenant(TENANT, _tenant(1))
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind, failure, trace):
        self.stop()

    def stop(self):
        """Request nothing any more; returns when all answers are there."""
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _run(self, node):
        while not self._stopped.wait(PERIOD_SECONDS):
            self.changes[self._outcome(self._change, node)] += 1
            with self._lock:
                port = self._next_port
                self._next_port += 1
            registered = []
            outcome = self._outcome(
                lambda at, p=port, r=registered: r.append(_register(at, p)), node
            )
            self.promises[port] = outcome, registered[0]["id"] if registered else None

    def _change(self, node):
        document, tag = node.sluice.tagged_tenant(TENANT)
        node.sluice.put_tenant(TENANT, _tenant(_count(document) + 1), tag)

    def _outcome(self, request, node):
        try:
            request(node)
        except RestError as answer:
            if answer.status == PRECONDITION_FAILED:
                return RACED
            self.refusals[str(answer)] += 1
            return UNKNOWN if answer.status == UNAVAILABLE else REFUSED
        except LabError:
            return UNKNOWN
        return ACCEPTED

    def ceilings(self):
        """{node: what the ceiling was counted up to there}."""
        return {node.name: _count(node.sluice.tagged_tenant(TENANT)[0]) - 1 for node in self._nodes}

    def flows(self):
        """{node: the registrations that it holds}."""
        return {
            node.name: [each for each in node.sluice.flows() if each["state"] == WAITING]
            for node in self._nodes
        }

    def remove(self):
        """Take everything back."""
        node = self._nodes[0].sluice
        for each in node.flows():
            if each["state"] == WAITING:
                node.delete_flow(each["id"])
        node.delete_tenant(TENANT)


def _tenant(count):
    return tenant_with([], ceiling=count)


def _count(document):
    return document["ceilingBitsPerSecond"] // BITS_PER_MEGABIT


def _register(node, port):
    return node.sluice.register_flow(
        {
            "source": addresses.endpoint(FLOW_SOURCE).ip,
            "destination": addresses.endpoint(addresses.RECEIVER).ip,
            "destinationPort": port,
            "sizeBytes": FLOW_BYTES,
            "beginsInMillis": BEGINS_MILLIS,
            "dueInMillis": DUE_MILLIS,
        }
    )


def lost_changes(changes, ceilings):
    """By how many accepted changes a node's count is short, or has too many; the worst node's.

    What nobody knows the outcome of may have been made or not.
    """
    least, most = changes[ACCEPTED], changes[ACCEPTED] + changes[UNKNOWN]
    return max(max(least - count, count - most, 0) for count in ceilings.values())


def lost_promises(promises, flows):
    """Accepted promises that some node does not hold, as lines."""
    return [
        f"{node}: {flow_id} to port {port}"
        for port, (outcome, flow_id) in promises.items()
        for node, listed in flows.items()
        if outcome == ACCEPTED
        and not any(each["id"] == flow_id and each["promised"] for each in listed)
    ]


def doubled_promises(promises, flows):
    """Registrations that nobody was promised, or that are there twice, as lines."""
    lines = []
    for node, listed in flows.items():
        for port, count in Counter(each["destinationPort"] for each in listed).items():
            outcome = promises[port][0] if port in promises else REFUSED
            if count > 1:
                lines.append(f"{node}: {count} to port {port}")
            elif outcome == REFUSED:
                lines.append(f"{node}: one to port {port}, which was refused")
    return lines
