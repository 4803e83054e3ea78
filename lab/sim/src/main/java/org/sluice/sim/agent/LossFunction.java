// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.agent;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.sluice.api.HostId;
import org.sluice.api.PortId;
import org.sluice.api.link.DownlinkMessage;
import org.sluice.api.link.Loss;
import org.sluice.api.link.LossReport;
import org.sluice.api.link.Resend;
import org.sluice.api.link.UplinkMessage;
import org.sluice.sim.network.Network;
import org.sluice.sim.network.Port;
import org.sluice.sim.network.Switch;
import org.sluice.sim.platform.AgentConnection;
import org.sluice.sim.platform.SwitchNames;
import org.sluice.sim.shim.host.Addresses;

/** Reports what a switch's queues drop while the controller requests it, and sends it again. */
public final class LossFunction implements AgentFunction {
  private final HostId id;
  private final AgentConnection connection;
  private final Map<PortId, DroppedPacketBuffer> buffers = new LinkedHashMap<>();

  public LossFunction(
      Network network,
      Switch watched,
      SwitchNames names,
      AgentConnection connection,
      Addresses addresses) {
    this.id = PortAgent.id(watched);
    this.connection = connection;
    for (Port port : watched.ports()) {
      PortId name = names.id(port);
      buffers.put(name, new DroppedPacketBuffer(network, port, name, addresses, this::report));
    }
  }

  private void report(Loss loss) {
    connection.send(now -> UplinkMessage.ofLossReport(LossReport.of(id, now, List.of(loss))));
  }

  @Override
  public void sessionEnded() {
    setReporting(false);
  }

  @Override
  public void received(DownlinkMessage message) {
    switch (message.kind()) {
      case SETTINGS -> setReporting(message.settings().reportLosses());
      case RESENDS -> message.resends().forEach(this::resend);
      default -> {}
    }
  }

  private void setReporting(boolean value) {
    buffers.values().forEach(buffer -> buffer.setReporting(value));
  }

  private void resend(Resend resend) {
    buffers.get(resend.port()).resend(resend.kept());
  }
}
