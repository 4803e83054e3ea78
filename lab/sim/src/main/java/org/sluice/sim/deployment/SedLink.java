// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.deployment;

import java.util.List;
import org.sluice.api.HostId;
import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.FlowReport;
import org.sluice.api.link.FlowUpdate;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.platform.ControlChannel;
import org.sluice.sim.platform.ControlChannels;
import org.sluice.sim.shim.deadline.ConnectionObserver;
import org.sluice.sim.shim.deadline.SedSettings;
import org.sluice.sim.shim.deadline.SedShim;
import org.sluice.sim.shim.host.Addresses;

/** The agent link of one host, as far as deadlines are concerned. */
final class SedLink implements ConnectionObserver {
  private final Network network;
  private final HostId host;
  private final SedController controller;
  private final ControlChannel up;
  private final ControlChannel down;
  private final SedShim shim;

  SedLink(
      Network network,
      Host host,
      Addresses addresses,
      SedController controller,
      SedSettings settings,
      ControlChannels channels) {
    this.network = network;
    this.host = HostId.of(host.name());
    this.controller = controller;
    this.up = channels.open("sed up " + host.name());
    this.down = channels.open("sed down " + host.name());
    this.shim = new SedShim(network, host, addresses, settings, this);
  }

  SedShim shim() {
    return shim;
  }

  /** Sends window grants or answers to losses to the host. */
  void send(DownlinkMessage message) {
    down.send(() -> deliver(message));
  }

  private void deliver(DownlinkMessage message) {
    switch (message.kind()) {
      case WINDOW_GRANTS -> message.windowGrants().forEach(shim::apply);
      case LOSS_ANSWERS -> message.lossAnswers().forEach(shim::answer);
      default -> throw new IllegalStateException("no host here takes " + message.kind());
    }
  }

  /** An application of this host requests a deadline through its agent. */
  void register(FlowKey flow, long sizeBytes, long beginsNanos, long deadlineNanos) {
    up.send(() -> controller.register(flow, sizeBytes, beginsNanos, deadlineNanos));
  }

  @Override
  public void opened(FlowKey connection) {
    report(FlowUpdate.of(connection, FlowUpdate.State.OPENED, 0, 0, false));
  }

  @Override
  public void progressed(FlowKey connection, long deliveredBytes, long roundTripNanos) {
    FlowUpdate update =
        FlowUpdate.of(
            connection, FlowUpdate.State.ESTABLISHED, deliveredBytes, roundTripNanos, false);
    report(update.acknowledgedTo(deliveredBytes & 0xFFFFFFFFL)); // Sequences begin at 0 here.
  }

  @Override
  public void closed(FlowKey connection, long deliveredBytes) {
    report(FlowUpdate.of(connection, FlowUpdate.State.CLOSED, deliveredBytes, 0, false));
  }

  private void report(FlowUpdate update) {
    FlowReport report = FlowReport.of(host, network.scheduler().now(), false, List.of(update));
    up.send(() -> controller.reported(report));
  }
}
