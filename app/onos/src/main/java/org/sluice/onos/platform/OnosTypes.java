// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.platform;

import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;

/** Turns the API's values into ONOS's and back. */
final class OnosTypes {
  private OnosTypes() {}

  static PortId port(ConnectPoint point) {
    return PortId.of(point.deviceId().toString(), point.port().toLong());
  }

  /** The port in ONOS's words; whether there is one is another question. */
  static ConnectPoint port(PortId port) {
    return new ConnectPoint(
        DeviceId.deviceId(port.datapath()), PortNumber.portNumber(port.number()));
  }

  static IpAddress ip(org.onlab.packet.IpAddress ip) {
    return IpAddress.of(ip.toOctets());
  }

  static org.onlab.packet.IpAddress ip(IpAddress ip) {
    return org.onlab.packet.IpAddress.valueOf(
        ip.isIpv4()
            ? org.onlab.packet.IpAddress.Version.INET
            : org.onlab.packet.IpAddress.Version.INET6,
        ip.toBytes());
  }

  static MacAddress mac(org.onlab.packet.MacAddress mac) {
    return MacAddress.of(mac.toBytes());
  }

  static org.onlab.packet.MacAddress mac(MacAddress mac) {
    return org.onlab.packet.MacAddress.valueOf(mac.toBytes());
  }
}
