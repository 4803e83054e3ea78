// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DefaultLink;
import org.onosproject.net.Link;
import org.onosproject.net.provider.ProviderId;
import org.sluice.api.EndpointId;
import org.sluice.api.HostId;
import org.sluice.api.IpAddress;
import org.sluice.api.MacAddress;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.ReportedEndpoint;

/** Values that many tests need. */
public final class Samples {
  public static final long NIC_BITS_PER_SECOND = 50_000_000;

  private Samples() {}

  public static EndpointId endpointId(String text) {
    String[] parts = text.split("/");
    return EndpointId.of(HostId.of(parts[0]), parts[1]);
  }

  /** An endpoint such as {@code h1/vm0}, a MAC, addresses. */
  public static ReportedEndpoint endpoint(String id, String mac, String... ips) {
    Set<IpAddress> addresses = Arrays.stream(ips).map(IpAddress::parse).collect(Collectors.toSet());
    return ReportedEndpoint.of(endpointId(id), MacAddress.parse(mac), addresses);
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

  /** {@code s1/5} is port 5 of switch of:...01. */
  public static ConnectPoint point(String text) {
    String[] parts = text.split("/");
    return ConnectPoint.deviceConnectPoint(
        String.format("of:%016x/%s", Integer.parseInt(parts[0].substring(1)), parts[1]));
  }

  /** One direction of a link. */
  public static Link link(String from, String to) {
    return DefaultLink.builder()
        .providerId(new ProviderId("of", "test"))
        .src(point(from))
        .dst(point(to))
        .type(Link.Type.DIRECT)
        .state(Link.State.ACTIVE)
        .build();
  }
}
