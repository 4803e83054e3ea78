# SPDX-License-Identifier: Apache-2.0
"""Strangers at the agent link's port: random bytes, and connections that say nothing."""

import contextlib
import os
import socket

from testbed.experiments.faults.fault import Fault
from testbed.report import expectations
from testbed.system import polling

RANDOM_BYTES = 10_000
RANDOM_CONNECTIONS = 8
SILENT_CONNECTIONS = 40
FREED_WITHIN_MILLIS = 15_000


def strangers(scene):
    """Connect, be rude or silent, and wait to be cut off."""
    target = scene.site.controller.address, scene.site.agent_link_port
    with scene.course(affected=(("h1", "h5"),), with_load=True) as course:
        sessions = scene.sessions()
        course.cause()
        with contextlib.ExitStack() as opened:
            silent = [
                opened.enter_context(socket.create_connection(target, timeout=5))
                for _ in range(SILENT_CONNECTIONS)
            ]
            rude = [
                opened.enter_context(socket.create_connection(target, timeout=5))
                for _ in range(RANDOM_CONNECTIONS)
            ]
            for connection in rude:
                with contextlib.suppress(OSError):  # it may be cut off before the last byte
                    connection.sendall(os.urandom(RANDOM_BYTES))
            rude_millis = _freed(rude, course)
            course.set_weights()
            course.wait_until_shares_hold()
            silent_millis = _freed(silent, course)
        kept = scene.sessions() == sessions
    finding = course.finding(
        f"{RANDOM_CONNECTIONS} connections with {RANDOM_BYTES} random bytes each and"
        f" {SILENT_CONNECTIONS} that say nothing, at the agent link's port",
        randomCutOffAfterMillis=round(rude_millis),
        silentCutOffAfterMillis=round(silent_millis),
    )
    return finding.expect_no_gap().expect(
        expectations.below("random bytes cut off, ms", rude_millis, FREED_WITHIN_MILLIS),
        expectations.below("silent ones cut off, ms", silent_millis, FREED_WITHIN_MILLIS),
        expectations.at_least("all agents kept their sessions", int(kept), 1),
    )


def _freed(connections, course):
    """Milliseconds since the cause until the server has ended all connections."""
    polling.until(
        lambda: all(map(_has_ended, connections)),
        "the server to end strangers' connections",
        timeout_seconds=4 * FREED_WITHIN_MILLIS / 1000,
    )
    return course.elapsed_millis()


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
    Fault(
        "noise-at-link", "random bytes and half-open connections at the agent link", 25, strangers
    ),
)
