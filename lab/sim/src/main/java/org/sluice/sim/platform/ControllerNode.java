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
  private Controller running;

  /**
   * A node that is not started yet.
   *
   * @param network complete, with its routes
   * @param links the agents'
   * @param texts settings by their names, as an operator writes them; others have their defaults
   * @throws IllegalArgumentException if a setting does not take its text
   */
  public ControllerNode(
      Network network,
      Addresses addresses,
      SwitchNames names,
      ControlChannels channels,
      AgentLinks links,
      Map<String, String> texts) {
    this.platform = new SimulatedPlatform(network, addresses, names, channels);
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
    running =
        new Controller(
            platform,
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
  }

  /** It is gone; what hosts and switches have stays with them. */
  public void stop() {
    running.stop();
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

  /** To be called when links or routes have changed, or endpoints have moved. */
  public void topologyChanged() {
    platform.topologyChanged();
  }
}
