// SPDX-License-Identifier: Apache-2.0
package org.sluice.lab.onos.openflow.translate;

import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.onosproject.openflow.controller.Dpid;
import org.projectfloodlight.openflow.types.OFPort;

/** Names of switches and ports, ONOS's to OpenFlow's and back. */
public final class Ids {

  private Ids() {}

  public static DeviceId device(Dpid dpid) {
    return DeviceId.deviceId(Dpid.uri(dpid));
  }

  public static Dpid dpid(DeviceId deviceId) {
    return Dpid.dpid(deviceId.uri());
  }

  /** Reserved ports are negative numbers on both sides. */
  public static PortNumber port(OFPort port) {
    return PortNumber.portNumber(port.getPortNumber());
  }

  public static OFPort port(PortNumber port) {
    return OFPort.of((int) port.toLong());
  }
}
