// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.scenario.build;

import java.util.List;
import org.sluice.sim.event.Event;
import org.sluice.sim.event.Scheduler;
import org.sluice.sim.network.Link;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.scenario.document.Fields;

/** Links that fail, return, or get another capacity while a scenario runs. */
final class LinkChanges {
  private final BuiltScenario built;
  private final Runnable noticed;

  /**
   * @param noticed notifies the controller that links have changed
   */
  LinkChanges(BuiltScenario built, Runnable noticed) {
    this.built = built;
    this.noticed = noticed;
  }

  /** Arms what a list says. */
  void arm(List<Fields> changes) {
    changes.forEach(this::arm);
  }

  private void arm(Fields at) {
    if (!at.has("up") && !at.has("rate")) {
      throw at.problem("", "nothing changes", "give up, rate, or both");
    }
    if (at.has("rate") && at.bitsPerSecond("rate", 0) <= 0) {
      throw at.problem("rate", "it must be above 0", "such as 1 Gbit/s; up: false for a failure");
    }
    Network network = built.network();
    List<Link> links = built.ports(at, "link").stream().map(LinkChanges::link).toList();
    long when = at.nanos("at", 0);
    run(when, () -> links.forEach(link -> change(link, at)));
    run(
        when + at.nanos("noticedAfter", 0),
        () -> {
          network.computeRoutes();
          noticed.run();
        });
  }

  /** Both directions of what a port is one of. */
  private static Link link(Port port) {
    return new Link(port, port.opposite());
  }

  private static void change(Link link, Fields at) {
    if (at.has("rate")) {
      link.setRateBitsPerSecond(at.bitsPerSecond("rate", 0));
    }
    if (at.has("up")) {
      link.setUp(at.flag("up", true));
    }
  }

  private void run(long atNanos, Runnable action) {
    Scheduler scheduler = built.network().scheduler();
    scheduler.arm(Event.running(action), atNanos);
  }
}
