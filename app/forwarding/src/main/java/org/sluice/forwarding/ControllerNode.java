// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding;

import java.util.Map;
import java.util.function.LongSupplier;
import org.sluice.api.counters.CounterReader;
import org.sluice.core.Controller;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.link.LinkServer;
import org.sluice.core.runtime.Execution;
import org.sluice.core.sampling.SampleCollector;
import org.sluice.core.setting.Settings;
import org.sluice.core.spi.Platform;

/** The controller, with the part of forwarding that follows it, and the services of both. */
public final class ControllerNode {
  private final Controller controller;
  private final ForwardingPlane plane;

  /** A node that is not started yet; see {@link Controller}. */
  public ControllerNode(
      Platform platform,
      ForwardingPlane plane,
      Settings settings,
      NodeJournal journal,
      Execution execution,
      LongSupplier clockMillis,
      LinkServer.Factory linkFactory,
      CounterReader.Factory counterFactory,
      SampleCollector.Factory sampleFactory) {
    this.plane = plane;
    controller =
        new Controller(
            platform,
            settings,
            journal,
            execution,
            clockMillis,
            linkFactory,
            counterFactory,
            sampleFactory);
  }

  public void start() {
    controller.start();
    plane.follow(
        controller.reportedEndpoints(), controller.locator(), controller.registeredFlows());
  }

  public void stop() {
    plane.unfollow();
    controller.stop();
  }

  /** What the node offers to commands, REST and page: each service by its interface. */
  public Map<Class<?>, Object> services() {
    return controller.services();
  }
}
