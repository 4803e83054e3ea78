// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.concurrent.TimeUnit;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.FlowSizeReport;
import org.sluice.api.link.HostSettings;
import org.sluice.api.link.UplinkMessage;
import org.sluice.sim.event.Event;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.platform.AgentConnection;
import org.sluice.sim.shim.host.Addresses;

/**
 * Has a host's packets leave by levels, at the sizes that a controller decides or else those that
 * the agent is configured with, and reports how much flows send to a controller that requests it.
 */
public final class LevelFunction implements AgentFunction {
  /** Between two reports at least. */
  private static final long LEAST_PERIOD_NANOS = 20_000_000L;

  private final Network network;
  private final Host host;
  private final AgentConnection connection;
  private final Addresses addresses;
  private final SentFlows flows;
  private final Event report = Event.running(this::report);
  private boolean isReporting;
  private long periodNanos = LEAST_PERIOD_NANOS;

  /**
   * Puts its shim above those that the host has.
   *
   * @param law limits what may leave by other levels than the last; null: nothing does
   */
  public LevelFunction(
      Network network,
      Host host,
      AgentConnection connection,
      Addresses addresses,
      LevelParameters parameters,
      LawFunction law) {
    this.network = network;
    this.host = host;
    this.connection = connection;
    this.addresses = addresses;
    SentFlows.Priority priority = law == null ? (packet, now) -> true : law.shim()::takePriority;
    this.flows = new SentFlows(network.scheduler()::now, parameters, priority);
    host.addShim(flows);
    long phase = network.random().stream("flow sizes " + host.name()).nextLong(LEAST_PERIOD_NANOS);
    network.scheduler().armIn(report, phase);
  }

  /** At which sizes flows leave a level for the next, now. */
  public long[] thresholdsBytes() {
    return flows.thresholdsBytes();
  }

  @Override
  public void received(DownlinkMessage message) {
    if (message.kind() == DownlinkMessage.Kind.SETTINGS) {
      HostSettings settings = message.settings();
      periodNanos =
          Math.max(
              LEAST_PERIOD_NANOS, TimeUnit.MICROSECONDS.toNanos(settings.controlPeriodMicros()));
      isReporting = settings.reportFlowSizes();
      flows.setThresholds(settings.levelThresholdsBytes());
    }
  }

  private void report() {
    SentFlows.Sizes sizes = flows.take(addresses);
    if (isReporting && !sizes.isEmpty()) {
      connection.send(
          received ->
              UplinkMessage.ofFlowSizes(
                  FlowSizeReport.of(HostAgent.id(host), received, sizes.large(), sizes.ended())));
    }
    network.scheduler().armIn(report, periodNanos);
  }
}
