# SPDX-License-Identifier: Apache-2.0
"""What fails in each case, and how it comes back."""

from collections.abc import Callable
from dataclasses import dataclass

BEFORE_SECONDS, AWAY_SECONDS, AFTER_SECONDS = 6, 20, 10
KILLED_SECONDS = 8
HOUR_SECONDS = 3600
# Longer than the store keeps sessions that are silent.
SESSIONS_END_SECONDS = 45


@dataclass(frozen=True)
class Case:
    """A case; make(site, watch) makes it beside traffic and undoes it.

    It returns what is in force: (host whose weight became 2, since which instant), or None where no
    node takes over.
    """

    name: str
    summary: str
    seconds: int
    make: Callable


def _kill_master(site, watch):
    _, master = site.part_roles()
    return _kill(site, watch, master, "the master")


def _kill_leader(site, watch):
    leader, _ = site.part_roles()
    return _kill(site, watch, leader, "the leader")


def _kill(site, watch, node, role):
    watch.begin()
    watch.hold(BEFORE_SECONDS)
    since = watch.mark(f"{node.name}, {role}, killed")
    node.own.kill()
    host = site.rotate_weights(site.others(node)[0])
    watch.mark("a weight accepted by another node")
    watch.hold(KILLED_SECONDS)
    _start(site, watch, node)
    return host, since


def _start(site, watch, node):
    watch.mark(f"{node.name} starts")
    node.own.start()
    site.wait_until_normal()
    watch.mark(f"{node.name} has agents and all nodes")
    watch.hold(AFTER_SECONDS)


def _cut_off(site, watch):
    """The master reaches neither the other nodes nor the store, but agents and switches."""
    _, master = site.part_roles()
    unreached = [*(node.id for node in site.others(master)), site.cluster.storage.address]
    watch.begin()
    watch.hold(BEFORE_SECONDS)
    watch.mark(f"{master.name}, the master, is cut off from the others and the store")
    _route(master, "add", unreached)
    watch.hold(AWAY_SECONDS)
    watch.mark(f"{master.name} reaches them again")
    _route(master, "del", unreached)
    _settle(site, watch)


def _route(node, what, addresses):
    for address in addresses:
        node.own.namespace.ip_command("route", what, "blackhole", address)


def _settle(site, watch):
    site.wait_until_normal()
    watch.mark("all nodes have agents and each other")
    watch.hold(AFTER_SECONDS)


def _stop_store(site, watch):
    _pause_store(site, watch, AWAY_SECONDS)


def _stop_store_for_long(site, watch):
    """All masters and leaders have to be elected anew."""
    _pause_store(site, watch, SESSIONS_END_SECONDS)


def _pause_store(site, watch, seconds):
    watch.begin()
    watch.hold(BEFORE_SECONDS)
    watch.mark("the store stops")
    site.cluster.storage.pause()
    watch.hold(seconds)
    watch.mark("the store goes on")
    site.cluster.storage.resume()
    _settle(site, watch)


def _roll(site, watch):
    watch.begin()
    watch.hold(BEFORE_SECONDS)
    for node in site.nodes:
        watch.mark(f"{node.name} is stopped")
        node.own.stop("--keep")
        _start(site, watch, node)


def _step_clock(site, watch):
    leader = site.leader()
    watch.begin()
    watch.hold(BEFORE_SECONDS)
    watch.mark(f"the clock of {leader.name}, the leader, is an hour ahead")
    leader.clock.step(HOUR_SECONDS)
    watch.hold(AWAY_SECONDS)
    watch.mark("its clock is right again")
    leader.clock.step(-HOUR_SECONDS)
    _settle(site, watch)


CASES = (
    Case("master", "the master of the bottleneck's switch killed, and back", 75, _kill_master),
    Case("leader", "the leader killed, and back", 75, _kill_leader),
    Case("cut-off", "the master cut off from nodes and store for 20 s", 60, _cut_off),
    Case("store", "the store stopped for 20 s", 60, _stop_store),
    Case("sessions", "the store stopped for 45 s: nodes' sessions end", 85, _stop_store_for_long),
    Case("rolling", "all nodes restarted, one after the other", 170, _roll),
    Case("clock", "the leader's clock an hour ahead for 20 s", 60, _step_clock),
)
SHORT = CASES[:1]
