// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.spi;

import java.util.Collection;
import org.sluice.api.PortId;

/** The switches that this cluster has a connection to. */
public interface Switches {

  /** Advances whenever a switch or a port came, went or changed. Not with every counter reading. */
  Epoch epoch();

  /** Datapath ids of the switches that are connected now. */
  Collection<String> connected();

  /** Datapath ids of all switches that are known: those connected, and those that were. */
  Collection<String> known();

  /** What people call a switch; its datapath id where it has no other name. */
  String name(String datapath);

  /** Whether a switch is connected now. */
  boolean isConnected(String datapath);

  /** Physical ports of a switch that are up. */
  Collection<SwitchPort> ports(String datapath);

  /** Whether a switch that is known has this port, up or not. */
  boolean hasPort(PortId port);
}
