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
 * Follows for how long this node has received nothing from hosts whose agents were connected, and
 * have not announced that they leave. While the link does not listen nothing can arrive, and nobody
 * is silent for it. Thread-safe.
 */
final class SilentHosts implements UplinkHandler {
  private final BooleanSupplier listens;
  private final LongSupplier clockNanos;
  private final Runnable returned;
  private final Map<HostId, Long> awaySince = new ConcurrentHashMap<>();
  private final Set<HostId> leaving = ConcurrentHashMap.newKeySet();
  private boolean isPaused = true;
  private long pausedNanos;

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
    pausedNanos = clockNanos.getAsLong();
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

  /**
   * Takes note of whether anything can arrive. Time in which nothing can does not count.
   *
   * @return whether somebody can
   */
  synchronized boolean follow() {
    long now = clockNanos.getAsLong();
    boolean receives = listens.getAsBoolean();
    if (!receives && !isPaused) {
      pausedNanos = now;
    } else if (receives && isPaused) {
      long pause = now - pausedNanos;
      awaySince.replaceAll((host, since) -> since - pausedNanos < 0 ? since + pause : now);
    }
    isPaused = !receives;
    return receives;
  }

  /** Hosts from which something could have arrived for so long, and did not. */
  Set<HostId> silentFor(long nanos) {
    long now = clockNanos.getAsLong();
    Set<HostId> silent = new TreeSet<>();
    awaySince.forEach(
        (host, since) -> {
          if (now - since >= nanos) {
            silent.add(host);
          }
        });
    return silent;
  }
}
