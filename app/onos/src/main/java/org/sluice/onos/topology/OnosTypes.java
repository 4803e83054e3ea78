// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DeviceId;
import org.onosproject.net.PortNumber;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;

/** Turns the API's values into ONOS's and back. */
public final class OnosTypes {
  private static final org.onlab.packet.IpAddress BROADCAST =
      org.onlab.packet.IpAddress.valueOf("255.255.255.255");
  private static final org.onlab.packet.IpAddress LOOPBACK_6 =
      org.onlab.packet.IpAddress.valueOf("::1");

  private OnosTypes() {}

  public static PortId port(ConnectPoint point) {
    return PortId.of(point.deviceId().toString(), point.port().toLong());
  }

  /** The port in ONOS's words; whether there is one is another question. */
  public static ConnectPoint port(PortId port) {
    return new ConnectPoint(
        DeviceId.deviceId(port.datapath()), PortNumber.portNumber(port.number()));
  }

  public static IpAddress ip(org.onlab.packet.IpAddress ip) {
    return IpAddress.of(ip.toOctets());
  }

  public static org.onlab.packet.IpAddress ip(IpAddress ip) {
    return org.onlab.packet.IpAddress.valueOf(
        ip.isIpv4()
            ? org.onlab.packet.IpAddress.Version.INET
            : org.onlab.packet.IpAddress.Version.INET6,
        ip.toBytes());
  }

  /** Whether an address is a single machine's and means the same machine on every link. */
  public static boolean isRoutable(org.onlab.packet.IpAddress ip) {
    return !ip.isZero()
        && !ip.isMulticast()
        && !ip.isLinkLocal()
        && !isLoopback(ip)
        && !ip.equals(BROADCAST);
  }

  private static boolean isLoopback(org.onlab.packet.IpAddress ip) {
    return ip.isIp4() ? ip.toOctets()[0] == 127 : ip.equals(LOOPBACK_6);
  }

  public static MacAddress mac(org.onlab.packet.MacAddress mac) {
    return MacAddress.of(mac.toBytes());
  }

  public static org.onlab.packet.MacAddress mac(MacAddress mac) {
    return org.onlab.packet.MacAddress.valueOf(mac.toBytes());
  }
}
