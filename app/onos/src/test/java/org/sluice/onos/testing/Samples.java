// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.testing;

import org.onosproject.net.ConnectPoint;
import org.onosproject.net.DefaultLink;
import org.onosproject.net.Link;
import org.onosproject.net.provider.ProviderId;

/** ONOS's values that many tests need; Sluice's own are in the core's Samples. */
public final class Samples {
  private Samples() {}

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
