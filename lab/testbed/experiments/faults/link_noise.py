# SPDX-License-Identifier: Apache-2.0
"""Connections to the agent link's port that are no agents: random bytes, or nothing at all."""

import contextlib
import os
import socket

from testbed.experiments.faults.fault import Fault
from testbed.report import expectations
from testbed.system import polling

RANDOM_BYTES = 10_000
RANDOM_CONNECTIONS = 8
SILENT_CONNECTIONS = 40
CLOSED_WITHIN_MILLIS = 15_000


def noise(environment):
    """Connect, send random bytes or nothing, and wait until the server closes."""
    target = environment.deployment.controller.address, environment.deployment.agent_link_port
    with environment.observe(affected=(("h1", "h5"),), with_load=True) as observation:
        sessions = environment.sessions()
        observation.mark_fault()
        with contextlib.ExitStack() as opened:
            silent = [
                opened.enter_context(socket.create_connection(target, timeout=5))
                for _ in range(SILENT_CONNECTIONS)
            ]
            random = [
                opened.enter_context(socket.create_connection(target, timeout=5))
                for _ in range(RANDOM_CONNECTIONS)
            ]
            for connection in random:
                with contextlib.suppress(OSError):  # it may be closed before the last byte
                    connection.sendall(os.urandom(RANDOM_BYTES))
            random_millis = _closed(random, observation)
            observation.change_weights()
            observation.wait_until_shares_hold()
            silent_millis = _closed(silent, observation)
        kept = environment.sessions() == sessions
    finding = observation.finding(
        f"{RANDOM_CONNECTIONS} connections with {RANDOM_BYTES} random bytes each and"
        f" {SILENT_CONNECTIONS} that send nothing, at the agent link's port",
        randomClosedAfterMillis=round(random_millis),
        silentClosedAfterMillis=round(silent_millis),
    )
    return finding.expect_no_gap().expect(
        expectations.below(
            "connections with random bytes closed, ms", random_millis, CLOSED_WITHIN_MILLIS
        ),
        expectations.below("silent connections closed, ms", silent_millis, CLOSED_WITHIN_MILLIS),
        expectations.at_least("all agents kept their sessions", int(kept), 1),
    )


def _closed(connections, observation):
    """Milliseconds since the fault until the server has closed all connections."""
    polling.until(
        lambda: all(map(_has_ended, connections)),
        "the server to close these connections",
        timeout_seconds=4 * CLOSED_WITHIN_MILLIS / 1000,
    )
    return observation.elapsed_millis()


def _has_ended(connection):
    connection.setblocking(False)
    try:
        while connection.recv(4096):
            continue
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


FAULTS = (
    Fault("noise-at-link", "random bytes and half-open connections at the agent link", 25, noise),
)
