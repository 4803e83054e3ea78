// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.sluice.api.JournalService;
import org.sluice.api.SluiceException;
import org.sluice.core.Controller;
import org.sluice.core.journal.NodeJournal;
import org.sluice.core.runtime.Execution;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.core.spi.Platform;
import org.sluice.forwarding.ForwardingPlane;
import org.sluice.sim.network.Network;
import org.sluice.sim.shim.host.Addresses;

/**
 * The product's controller on a simulated network: the only node of its cluster. What its cluster
 * stores outlives it; whatever else it knew is gone when it comes back.
 */
public final class ControllerNode {
  private final SimulatedPlatform platform;
  private final SimulatedTime time;
  private final Execution execution;
  private final AgentLinks links;
  private final NodeJournal journal;
  private final Settings settings =
      new Settings(
          refusal -> {
            throw new IllegalArgumentException(refusal);
          });

  /** Empty where switches have the network's routes. */
  private final Optional<ForwardedFabric> fabric;

  private Controller running;
  private Optional<ForwardingPlane> plane = Optional.empty();

  /**
   * A node that is not started yet.
   *
   * @param network complete, with its routes
   * @param links the agents'
   * @param texts settings by their names, as an operator writes them; others have their defaults
   * @param forwards whether it forwards itself; otherwise switches have the network's routes
   * @throws IllegalArgumentException if a setting does not take its text
   */
  public ControllerNode(
      Network network,
      Addresses addresses,
      SwitchNames names,
      ControlChannels channels,
      AgentLinks links,
      Map<String, String> texts,
      boolean forwards) {
    this.platform = new SimulatedPlatform(network, addresses, names, channels);
    this.fabric =
        forwards
            ? Optional.of(
                new ForwardedFabric(
                    platform, new FlowTables(names, addresses, network.scheduler())))
            : Optional.empty();
    this.time = new SimulatedTime(network.scheduler());
    this.links = links;
    this.journal = new NodeJournal(time);
    settings.read(texts::get);
    long periodNanos =
        TimeUnit.MILLISECONDS.toNanos(settings.get(SettingTable.CONTROL_PERIOD_MILLIS));
    this.execution =
        new SimulatedExecution(time, network.random().stream("controller").nextLong(periodNanos));
  }

  /** It starts: agents connect from now on. */
  public void start() {
    platform.start();
    plane = fabric.map(parts -> new ForwardingPlane(parts, settings, journal, execution));
    plane.ifPresent(ForwardingPlane::start);
    running =
        new Controller(
            plane
                .<Platform>map(own -> new ForwardingNodePlatform(platform, fabric.get(), own))
                .orElse(platform),
            settings,
            journal,
            execution,
            time::wallMillis,
            links,
            platform.counterReaders(),
            (parameters, sink) -> {
              throw SluiceException.conflict(
                  "sflowPort", "", "Simulated switches do not sample", "Set sflowPort to 0");
            });
    running.start();
    plane.ifPresent(
        own ->
            own.follow(running.reportedEndpoints(), running.locator(), running.registeredFlows()));
  }

  /** It is gone; what hosts and switches have stays with them. */
  public void stop() {
    plane.ifPresent(ForwardingPlane::unfollow);
    running.stop();
    plane.ifPresent(ForwardingPlane::stop);
    running = null;
  }

  /** The controller; empty while there is none. */
  public Optional<Controller> controller() {
    return Optional.ofNullable(running);
  }

  /** What was decided, and why, over all starts. */
  public JournalService journal() {
    return journal;
  }

  /** What its forwarding has on switches; empty where they have the network's routes. */
  Optional<ForwardedFabric> fabric() {
    return fabric;
  }

  /** To be called when links or routes have changed, or endpoints have moved. */
  public void topologyChanged() {
    platform.topologyChanged();
  }
}
