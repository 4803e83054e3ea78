// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.topology;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.onlab.packet.IpAddress;
import org.onlab.util.KryoNamespace;
import org.onosproject.net.ConnectPoint;
import org.onosproject.store.serializers.KryoNamespaces;
import org.onosproject.store.service.EventuallyConsistentMap;
import org.onosproject.store.service.EventuallyConsistentMapEvent;
import org.onosproject.store.service.EventuallyConsistentMapListener;
import org.onosproject.store.service.StorageService;
import org.onosproject.store.service.WallClockTimestamp;
import org.sluice.core.runtime.MonotonicTime;

/**
 * Attachments in a map that the nodes gossip about, ordered by hybrid logical time (Kulkarni et
 * al., 2014): each entry carries its stamp, and a node stamps what it writes later than all that it
 * has seen. So a node whose clock is an hour ahead undoes nothing that others find out after it has
 * written, and one whose clock is behind counts all the same.
 */
final class StampedAttachments {
  private static final String STORE = "sluice-attachments-stamped";

  private final EventuallyConsistentMap<IpAddress, Stamped> map;
  private final MonotonicTime time;
  private final EventuallyConsistentMapListener<IpAddress, Stamped> listener;

  /** A port and when it was written. */
  static final class Stamped {
    private final ConnectPoint port;
    private final long stamp;

    Stamped(ConnectPoint port, long stamp) {
      this.port = port;
      this.stamp = stamp;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Stamped
          && stamp == ((Stamped) other).stamp
          && port.equals(((Stamped) other).port);
    }

    @Override
    public int hashCode() {
      return 31 * port.hashCode() + Long.hashCode(stamp);
    }
  }

  /**
   * Joins the map of the cluster.
   *
   * @param clockMillis this node's wall clock, ms
   * @param changed is called after every change
   */
  StampedAttachments(StorageService storage, LongSupplier clockMillis, Runnable changed) {
    time = new MonotonicTime(clockMillis);
    map =
        storage
            .<IpAddress, Stamped>eventuallyConsistentMapBuilder()
            .withName(STORE)
            .withSerializer(
                KryoNamespace.newBuilder()
                    .register(KryoNamespaces.API)
                    .nextId(KryoNamespaces.BEGIN_USER_CUSTOM_ID)
                    .register(Stamped.class))
            .withTimestampProvider((ip, written) -> new WallClockTimestamp(stampOf(written)))
            .build();
    listener =
        event -> {
          seen(event);
          changed.run();
        };
    map.addListener(listener);
    map.values().forEach(each -> time.seen(each.stamp));
  }

  /** A removal has no value. */
  private long stampOf(Stamped written) {
    return written == null ? time.next() : written.stamp;
  }

  /** What was removed was so after it was written. */
  private void seen(EventuallyConsistentMapEvent<IpAddress, Stamped> event) {
    if (event.value() != null) {
      time.seen(event.value().stamp + 1);
    }
  }

  void close() {
    map.removeListener(listener);
    map.destroy();
  }

  /** Where an address is, or null. */
  ConnectPoint get(IpAddress ip) {
    Stamped stamped = map.get(ip);
    return stamped == null ? null : stamped.port;
  }

  void put(IpAddress ip, ConnectPoint port) {
    Stamped before = map.get(ip);
    if (before != null) {
      time.seen(before.stamp);
    }
    map.put(ip, new Stamped(port, time.next()));
  }

  void remove(IpAddress ip) {
    map.remove(ip);
  }

  /** Removes an entry if it has this port. */
  void remove(IpAddress ip, ConnectPoint port) {
    Stamped stamped = map.get(ip);
    if (stamped != null && stamped.port.equals(port)) {
      map.remove(ip, stamped);
    }
  }

  /** All of them, as they are now. */
  Map<IpAddress, ConnectPoint> all() {
    Map<IpAddress, ConnectPoint> copy = new HashMap<>();
    map.entrySet().forEach(entry -> copy.put(entry.getKey(), entry.getValue().port));
    return copy;
  }
}
