// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.parts;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.runtime.MonotonicTime;
import org.sluice.core.spi.Epoch;
import org.sluice.core.spi.ReplicatedMap;
import org.sluice.forwarding.spi.AttachmentStore;

/**
 * Attachments in this node's memory, which the others learn by a map of the cluster. Ordered by
 * hybrid logical time (Kulkarni et al., 2014): a node stamps what it writes later than all that it
 * has seen, so that clocks that differ undo nothing.
 */
public final class ReplicatedAttachments implements AttachmentStore, ReplicatedMap.Listener {
  private final ReplicatedMap shared;
  private final StoreTasks tasks;
  private final MonotonicTime time;
  private final Epoch epoch = new Epoch();
  private final Map<IpAddress, Stamped> attachments = new ConcurrentHashMap<>();

  /** A port and when it was written. */
  private static final class Stamped {
    private static final char SEPARATOR = ' ';
    private final PortId port;
    private final long stamp;

    Stamped(PortId port, long stamp) {
      this.port = port;
      this.stamp = stamp;
    }

    static Stamped parse(String text) {
      int at = text.lastIndexOf(SEPARATOR);
      return new Stamped(
          PortId.parse(text.substring(0, at)), Long.parseLong(text.substring(at + 1)));
    }

    @Override
    public String toString() {
      return port.toString() + SEPARATOR + stamp;
    }
  }

  /**
   * One that knows nothing yet.
   *
   * @param shared the cluster's
   * @param writer runs writes to it, one after the other
   * @param clockMillis this node's wall clock, ms
   */
  public ReplicatedAttachments(ReplicatedMap shared, Executor writer, LongSupplier clockMillis) {
    this.shared = shared;
    tasks = new StoreTasks(writer, "Other nodes do not learn of an attachment");
    time = new MonotonicTime(clockMillis);
  }

  /** Takes over what the others know, and listens to them. */
  public void start() {
    tasks.follow(shared, this);
  }

  public void stop() {
    shared.removeListener(this);
  }

  @Override
  public void changed(
      String key, Optional<ReplicatedMap.Versioned> before, Optional<ReplicatedMap.Versioned> now) {
    IpAddress ip = IpAddress.parse(key);
    if (now.isPresent()) {
      seen(ip, now.get().value());
    } else {
      before.ifPresent(gone -> removed(ip, Stamped.parse(gone.value())));
    }
  }

  private void seen(IpAddress ip, String text) {
    Stamped written = Stamped.parse(text);
    time.seen(written.stamp);
    Stamped held = attachments.get(ip);
    if (held == null || held.stamp < written.stamp) {
      attachments.merge(ip, written, (old, other) -> other.stamp > old.stamp ? other : old);
      epoch.advance();
    }
  }

  private void removed(IpAddress ip, Stamped gone) {
    time.seen(gone.stamp + 1);
    Stamped held =
        attachments.computeIfPresent(ip, (key, old) -> old.stamp <= gone.stamp ? null : old);
    if (held == null) {
      epoch.advance();
    }
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public Optional<PortId> get(IpAddress ip) {
    return Optional.ofNullable(attachments.get(ip)).map(held -> held.port);
  }

  @Override
  public Map<IpAddress, PortId> all() {
    Map<IpAddress, PortId> copy = new HashMap<>();
    attachments.forEach((ip, held) -> copy.put(ip, held.port));
    return copy;
  }

  @Override
  public void put(IpAddress ip, PortId port) {
    Stamped written = new Stamped(port, time.next());
    attachments.put(ip, written);
    epoch.advance();
    tasks.execute(() -> shared.put(ip.toString(), written.toString()));
  }

  @Override
  public void remove(IpAddress ip) {
    if (attachments.remove(ip) != null) {
      epoch.advance();
      tasks.execute(() -> shared.remove(ip.toString()));
    }
  }

  @Override
  public void remove(IpAddress ip, PortId port) {
    Stamped held = attachments.get(ip);
    if (held != null && held.port.equals(port) && attachments.remove(ip, held)) {
      epoch.advance();
      tasks.execute(() -> removeShared(ip, held));
    }
  }

  /** Another node may have written a newer one meanwhile. */
  private void removeShared(IpAddress ip, Stamped held) {
    shared
        .get(ip.toString())
        .filter(value -> value.value().equals(held.toString()))
        .ifPresent(value -> shared.remove(ip.toString(), value.version()));
  }
}
