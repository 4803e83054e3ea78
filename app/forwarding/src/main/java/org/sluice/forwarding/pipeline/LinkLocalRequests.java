// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;

/**
 * Who has just sent a request from a link-local address, which has no route: hosts do so to find
 * out whether a neighbour is still there (RFC 4861 section 7.3), and the answer has to reach them.
 */
final class LinkLocalRequests {
  private static final int MOST = 4096;
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final class Request {
    private final PortId port;
    private final long nanos;

    Request(PortId port, long nanos) {
      this.port = port;
      this.nanos = nanos;
    }
  }

  private final Map<MacAddress, Request> requests = new LinkedHashMap<>();

  synchronized void add(MacAddress mac, PortId port, long nowNanos) {
    requests.remove(mac);
    requests.put(mac, new Request(port, nowNanos));
    if (requests.size() > MOST) {
      requests.remove(requests.keySet().iterator().next());
    }
  }

  synchronized Optional<PortId> locate(MacAddress mac, long nowNanos) {
    return Optional.ofNullable(requests.get(mac))
        .filter(request -> nowNanos - request.nanos < WAIT_NANOS)
        .map(request -> request.port);
  }
}
