// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.silent;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.core.spi.ReplicatedMap.Versioned;
import org.sluice.core.spi.StorageUnavailableException;

/**
 * The views of all nodes of the cluster, each written by its own node. A view that is not renewed
 * for {@link #FRESH_NANOS} is that of a node that is gone. One thread only, beside the storage's.
 */
final class NodeViews {
  /** A view that stays as it is is written again so often. */
  static final long RENEW_NANOS = SECONDS.toNanos(5);

  /** For so long it counts without. */
  static final long FRESH_NANOS = 3 * RENEW_NANOS;

  /** Changes are written so often at most. */
  static final long WRITE_NANOS = SECONDS.toNanos(1);

  private static final Logger log = LoggerFactory.getLogger(NodeViews.class);

  private final ReplicatedMap store;
  private final String node;
  private final LongSupplier clockNanos;
  private final ReplicatedMap.Listener listener = this::changed;
  private final Map<String, Seen> others = new ConcurrentHashMap<>();
  private NodeView written;
  private long writtenNanos;
  private long number;

  /** What another node wrote, and when this one came to know. */
  private static final class Seen {
    final NodeView view;
    final long atNanos;

    Seen(NodeView view, long atNanos) {
      this.view = view;
      this.atNanos = atNanos;
    }
  }

  NodeViews(ReplicatedMap store, String node, LongSupplier clockNanos) {
    this.store = store;
    this.node = node;
    this.clockNanos = clockNanos;
  }

  void start() {
    store.addListener(listener);
    try {
      store.entries().forEach((name, entry) -> changed(name, Optional.empty(), Optional.of(entry)));
    } catch (StorageUnavailableException e) {
      log.debug("Views of other nodes could not be read; retrying at their next update", e);
    }
  }

  /** Others find this node's view too old soon. */
  void stop() {
    store.removeListener(listener);
  }

  private void changed(String name, Optional<Versioned> before, Optional<Versioned> now) {
    if (name.equals(node)) {
      return;
    }
    if (now.isEmpty()) {
      others.remove(name);
      return;
    }
    try {
      others.put(name, new Seen(NodeView.decode(now.get().value()), clockNanos.getAsLong()));
    } catch (IllegalArgumentException e) {
      log.warn(
          "The view of node {} cannot be read, and its silent hosts are unknown: {}",
          name,
          e.getMessage());
    }
  }

  /** What other nodes that are there know. */
  List<NodeView> others() {
    long now = clockNanos.getAsLong();
    List<NodeView> fresh = new ArrayList<>();
    for (Seen each : others.values()) {
      if (now - each.atNanos < FRESH_NANOS) {
        fresh.add(each.view);
      }
    }
    return fresh;
  }

  /** Makes this node's view known to the others, if it is time. */
  void write(NodeView view) {
    long now = clockNanos.getAsLong();
    boolean isDue =
        written == null
            || now - writtenNanos >= RENEW_NANOS
            || now - writtenNanos >= WRITE_NANOS && view.differsFrom(written);
    if (isDue) {
      writtenNanos = now;
      try {
        store.put(node, view.encode(++number));
        written = view;
      } catch (StorageUnavailableException e) {
        log.debug("This node's view of silent hosts could not be published to other nodes", e);
      }
    }
  }

  /** This node misses nobody any longer. */
  void remove() {
    if (written != null) {
      written = null;
      try {
        store.remove(node);
      } catch (StorageUnavailableException e) {
        log.debug("This node's view could not be removed; it expires by itself", e);
      }
    }
  }

  /** Leaves nothing behind in the cluster. */
  void clear() {
    store.clear();
  }
}
