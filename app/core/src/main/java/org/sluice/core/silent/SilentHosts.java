// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.silent;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.sluice.api.HostId;
import org.sluice.api.link.HostEvent;
import org.sluice.api.link.HostHello;
import org.sluice.api.link.UplinkHandler;

/**
 * Follows for how long this node has heard nothing of hosts whose agents were connected, and have
 * not said that they leave. While the link does not listen nobody can be heard, and nobody is
 * silent for it. Thread-safe.
 */
final class SilentHosts implements UplinkHandler {
  private final BooleanSupplier listens;
  private final LongSupplier clockNanos;
  private final Runnable returned;
  private final Map<HostId, Long> awaySince = new ConcurrentHashMap<>();
  private final Set<HostId> leaving = ConcurrentHashMap.newKeySet();
  private boolean listened;
  private long listeningSinceNanos;

  /**
   * Nobody is known yet.
   *
   * @param listens whether agents can connect now
   * @param returned is called when one did; must not block
   */
  SilentHosts(BooleanSupplier listens, LongSupplier clockNanos, Runnable returned) {
    this.listens = listens;
    this.clockNanos = clockNanos;
    this.returned = returned;
  }

  @Override
  public void sessionOpened(HostHello hello) {
    leaving.remove(hello.host());
    if (awaySince.remove(hello.host()) != null) {
      returned.run();
    }
  }

  @Override
  public void eventReported(HostEvent event) {
    if (event.kind() == HostEvent.Kind.LEAVING) {
      leaving.add(event.host());
    }
  }

  @Override
  public void sessionClosed(HostId host) {
    if (!leaving.remove(host)) {
      awaySince.put(host, clockNanos.getAsLong());
    }
  }

  /** Hosts that could have been heard for so long, and were not. */
  synchronized Set<HostId> silentFor(long nanos) {
    long now = clockNanos.getAsLong();
    if (!listens.getAsBoolean()) {
      listened = false;
    } else if (!listened) {
      listened = true;
      listeningSinceNanos = now;
    }
    Set<HostId> silent = new TreeSet<>();
    if (listened) {
      awaySince.forEach(
          (host, since) -> {
            if (now - Math.max(since, listeningSinceNanos) >= nanos) {
              silent.add(host);
            }
          });
    }
    return silent;
  }
}
