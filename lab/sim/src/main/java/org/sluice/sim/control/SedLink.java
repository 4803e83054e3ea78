// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.control;

import org.sluice.api.deadline.FlowKey;
import org.sluice.api.link.LossAnswer;
import org.sluice.api.link.WindowGrant;
import org.sluice.sim.network.Host;
import org.sluice.sim.network.Network;
import org.sluice.sim.shim.deadline.ConnectionObserver;
import org.sluice.sim.shim.deadline.SedSettings;
import org.sluice.sim.shim.deadline.SedShim;
import org.sluice.sim.shim.host.Addresses;

/** The agent link of one host, as far as deadlines are concerned. */
final class SedLink implements ConnectionObserver {
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
      ChannelParameters channel) {
    this.controller = controller;
    this.up = ControlChannel.named("sed up " + host.name(), network, channel);
    this.down = ControlChannel.named("sed down " + host.name(), network, channel);
    this.shim = new SedShim(network, host, addresses, settings, this);
  }

  SedShim shim() {
    return shim;
  }

  void send(WindowGrant grant) {
    down.send(() -> shim.apply(grant));
  }

  void send(LossAnswer answer) {
    down.send(() -> shim.answer(answer));
  }

  /** An application of this host requests a deadline through its agent. */
  void register(FlowKey flow, long sizeBytes, long deadlineNanos) {
    up.send(() -> controller.register(flow, sizeBytes, deadlineNanos));
  }

  @Override
  public void opened(FlowKey connection) {
    up.send(() -> controller.opened(connection));
  }

  @Override
  public void progressed(FlowKey connection, long deliveredBytes, long roundTripNanos) {
    up.send(() -> controller.progressed(connection, deliveredBytes, roundTripNanos));
  }

  @Override
  public void closed(FlowKey connection, long deliveredBytes) {
    up.send(() -> controller.closed(connection, deliveredBytes));
  }
}
