// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import java.util.Optional;
import org.onlab.packet.IpAddress;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;

/** How switches reach destinations now. */
public interface CapRoutes {

  /** The one port by which all goes to an address; empty: none, or several share it. */
  Optional<PortNumber> onlyPort(DeviceId device, IpAddress to);
}
