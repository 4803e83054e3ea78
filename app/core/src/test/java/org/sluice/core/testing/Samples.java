// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.testing;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.PeerPublicKey;
import org.sluice.api.link.ReportedEndpoint;

/** Short ways to write what tests are about. */
public final class Samples {
  public static final long NIC_BITS_PER_SECOND = 50_000_000;

  private Samples() {}

  public static EndpointId endpointId(String text) {
    String[] parts = text.split("/");
    return EndpointId.of(HostId.of(parts[0]), parts[1]);
  }

  /** An endpoint such as {@code h1/vm0}, a MAC, addresses. */
  public static ReportedEndpoint endpoint(String id, String mac, String... ips) {
    return ReportedEndpoint.of(endpointId(id), MacAddress.parse(mac), addresses(ips));
  }

  static Set<IpAddress> addresses(String... ips) {
    return Arrays.stream(ips).map(IpAddress::parse).collect(Collectors.toSet());
  }

  public static HostHello hello(String host, ReportedEndpoint... endpoints) {
    return HostHello.of(
        HostId.of(host),
        "1.2.3",
        "up0",
        MacAddress.parse("02:00:00:00:02:01"),
        NIC_BITS_PER_SECOND,
        List.of(endpoints),
        List.of());
  }

  /** A public key of an agent; another one for each number but 0. */
  public static PeerPublicKey peerKey(int number) {
    byte[] bytes = new byte[PeerPublicKey.BYTES];
    bytes[0] = (byte) number;
    return PeerPublicKey.of(bytes);
  }

  /** {@code s1} is switch of:0000000000000001. */
  public static String datapath(String name) {
    return String.format("of:%016x", Integer.parseInt(name.substring(1)));
  }

  /** {@code s1/5} is port 5 of switch of:0000000000000001. */
  public static PortId port(String text) {
    String[] parts = text.split("/");
    return PortId.of(datapath(parts[0]), Long.parseLong(parts[1]));
  }
}
