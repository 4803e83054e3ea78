// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.platform;

import java.util.Collection;
import org.sluice.api.PortId;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.SwitchPort;
import org.sluice.core.spi.Switches;
import org.sluice.sim.network.Port;

/** The network's switches, all of them connected. */
final class SimulatedSwitches implements Switches {
  private final SwitchNames names;
  private final Epoch epoch = new Epoch();

  SimulatedSwitches(SwitchNames names) {
    this.names = names;
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Collection<String> connected() {
    return names.datapaths();
  }

  @Override
  public Collection<String> known() {
    return names.datapaths();
  }

  @Override
  public String name(String datapath) {
    return names.switchOf(datapath).name();
  }

  @Override
  public boolean isConnected(String datapath) {
    return names.switchOf(datapath) != null;
  }

  @Override
  public Collection<SwitchPort> ports(String datapath) {
    return names.switchOf(datapath).ports().stream().filter(Port::isUp).map(this::port).toList();
  }

  @Override
  public boolean hasPort(PortId port) {
    return ports(port.datapath()).stream().anyMatch(each -> each.id().equals(port));
  }

  private SwitchPort port(Port port) {
    return SwitchPort.of(names.id(port), port.rateBitsPerSecond()).named(port.toString());
  }
}
