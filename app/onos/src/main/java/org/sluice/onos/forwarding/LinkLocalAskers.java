// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.onlab.packet.MacAddress;
import org.onosproject.net.ConnectPoint;

/**
 * Who has just sent a request from a link-local address, which has no route: hosts do so to find
 * out whether a neighbour is still there (RFC 4861 section 7.3), and the answer has to reach them.
 */
final class LinkLocalAskers {
  private static final int MOST = 4096;
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final class Asker {
    private final ConnectPoint port;
    private final long nanos;

    Asker(ConnectPoint port, long nanos) {
      this.port = port;
      this.nanos = nanos;
    }
  }

  private final Map<MacAddress, Asker> askers = new LinkedHashMap<>();

  synchronized void asked(MacAddress mac, ConnectPoint port, long nowNanos) {
    askers.remove(mac);
    askers.put(mac, new Asker(port, nowNanos));
    if (askers.size() > MOST) {
      askers.remove(askers.keySet().iterator().next());
    }
  }

  synchronized Optional<ConnectPoint> locate(MacAddress mac, long nowNanos) {
    return Optional.ofNullable(askers.get(mac))
        .filter(asker -> nowNanos - asker.nanos < WAIT_NANOS)
        .map(asker -> asker.port);
  }
}
