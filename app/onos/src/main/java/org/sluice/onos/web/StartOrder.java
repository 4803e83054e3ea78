// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.web;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * Decides when our web applications may start. Of the first two applications of a realm that Jetty
 * starts at the same time it refuses one ("LoginService has different IdentityService"), and that
 * may be ONOS's own REST. Once one of them stands there is no danger any more.
 *
 * <p>Called again and again; not thread-safe.
 */
final class StartOrder {
  /** The path of ONOS's own REST. */
  static final String ONOS_PATH = "/onos/v1";

  /** ONOS's application may still be on its way up when its path appears. */
  static final long SETTLE_AT_BOOT_NANOS = TimeUnit.SECONDS.toNanos(5);

  static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** An ONOS without REST does not keep ours from starting. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);

  /** One of our bundles and the path at which it serves. */
  static final class WebBundle {
    final String symbolicName;
    final String path;

    WebBundle(String symbolicName, String path) {
      this.symbolicName = symbolicName;
      this.path = path;
    }
  }

  /** What the decision rests on. */
  interface Container {
    /** Whether ONOS is still starting up. */
    boolean booting();

    /** Whether an application serves this path, or is about to. */
    boolean serves(String path);

    /** Starts a bundle; nothing happens if it runs. */
    void start(String symbolicName);
  }

  private final Container container;
  private final Queue<WebBundle> waiting;
  private final long givenUpAtNanos;
  private String awaited = ONOS_PATH;
  private long settleNanos = SETTLE_NANOS;
  private long seenNanos = Long.MIN_VALUE;

  StartOrder(Container container, List<WebBundle> bundles, long nowNanos) {
    this.container = container;
    this.waiting = new ArrayDeque<>(bundles);
    this.givenUpAtNanos = nowNanos + PATIENCE_NANOS;
  }

  /**
   * Starts the next bundle if it is time.
   *
   * @return whether there is nothing left to start
   */
  boolean proceed(long nowNanos) {
    if (container.booting()) {
      settleNanos = SETTLE_AT_BOOT_NANOS;
    }
    if (!container.serves(awaited)) {
      seenNanos = Long.MIN_VALUE;
    } else if (seenNanos == Long.MIN_VALUE) {
      seenNanos = nowNanos;
    }
    boolean settled = seenNanos != Long.MIN_VALUE && nowNanos - seenNanos >= settleNanos;
    if (waiting.isEmpty() || !settled && nowNanos - givenUpAtNanos < 0) {
      return waiting.isEmpty();
    }
    WebBundle next = waiting.remove();
    container.start(next.symbolicName);
    awaited = next.path;
    seenNanos = Long.MIN_VALUE;
    settleNanos = SETTLE_NANOS;
    return waiting.isEmpty();
  }
}
