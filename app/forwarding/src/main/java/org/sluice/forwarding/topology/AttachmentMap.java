// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.topology;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.sluice.api.IpAddress;
import org.sluice.api.PortId;
import org.sluice.core.setting.SettingTable;
import org.sluice.core.setting.Settings;
import org.sluice.core.spi.Attachments;
import org.sluice.core.spi.Epoch;
import org.sluice.forwarding.frame.Addresses;
import org.sluice.forwarding.spi.AttachmentStore;

/**
 * The attachment map: behind which edge port an address is. Link-local addresses have no place in
 * it: they mean another machine on each link. Addresses that no agent reports are limited per port.
 */
public final class AttachmentMap implements Attachments {
  private static final long SHOW_REFUSED_NANOS = TimeUnit.MINUTES.toNanos(10);

  /**
   * So long packets of an endpoint have to come from another port, and none from its own, before
   * they move it unconfirmed: machines that answer no probe move as well.
   */
  static final long DOUBT_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** How many addresses were refused at a port, and when the last one was. */
  private static final class Refusals {
    private final long count;
    private final long lastNanos;

    Refusals(long count, long lastNanos) {
      this.count = count;
      this.lastNanos = lastNanos;
    }

    Refusals plus(Refusals one) {
      return new Refusals(count + one.count, one.lastNanos);
    }
  }

  /** Packets of an endpoint arrive at another port than its own. */
  private static final class Doubt {
    private final PortId port;
    private final long firstNanos;
    private final long lastNanos;

    Doubt(PortId port, long firstNanos, long lastNanos) {
      this.port = port;
      this.firstNanos = firstNanos;
      this.lastNanos = lastNanos;
    }
  }

  private final Settings settings;
  private final AttachmentStore store;
  private final LinkTopology topology;
  private final Runnable topologyListener = this::dropInterSwitch;
  private final LongSupplier clockNanos;
  private final AttachmentAges ages = new AttachmentAges();
  private final Map<PortId, Refusals> refusals = new ConcurrentHashMap<>();
  private final Map<IpAddress, Doubt> doubts = new ConcurrentHashMap<>();
  private volatile Predicate<IpAddress> reported = ip -> false;
  private volatile Optional<BiConsumer<IpAddress, PortId>> probe = Optional.empty();

  /** The map of a cluster that keeps it in a store. */
  public AttachmentMap(
      Settings settings, AttachmentStore store, LinkTopology topology, LongSupplier clockNanos) {
    this.settings = settings;
    this.store = store;
    this.topology = topology;
    this.clockNanos = clockNanos;
  }

  public void start() {
    topology.epoch().addListener(topologyListener);
  }

  public void stop() {
    topology.epoch().removeListener(topologyListener);
  }

  @Override
  public Epoch epoch() {
    return store.epoch();
  }

  @Override
  public Optional<PortId> locate(IpAddress ip) {
    return store.get(ip);
  }

  /** All of them, as they are now. */
  public Map<IpAddress, PortId> all() {
    return store.all();
  }

  /**
   * Also ignored for addresses without a route, and beyond the port's limit. A packet alone does
   * not move an endpoint that an agent reports: it may have come over a link that is not discovered
   * now. Whatever else comes from there is ignored likewise.
   */
  @Override
  public void learn(IpAddress ip, PortId port) {
    if (topology.isInterSwitch(port) || !Addresses.isRoutable(ip)) {
      return;
    }
    // Reading first spares the cluster a message per packet seen.
    Optional<PortId> before = store.get(ip);
    if (!before.equals(Optional.of(port))) {
      if (reported.test(ip)) {
        if (before.isPresent() && isDoubtful(ip, before.get(), port)) {
          return;
        }
      } else if (isDoubtful(port)) {
        return;
      } else if (isFull(port)) {
        refusals.merge(port, new Refusals(1, clockNanos.getAsLong()), Refusals::plus);
        return;
      }
      store.put(ip, port);
    }
    doubts.remove(ip);
    ages.seen(ip, clockNanos.getAsLong());
  }

  /** Whether a packet at another port does not move an endpoint; probes it there. */
  private boolean isDoubtful(IpAddress ip, PortId before, PortId port) {
    if (probe.isEmpty() || topology.isDown(before)) {
      return false;
    }
    long now = clockNanos.getAsLong();
    Doubt doubt =
        doubts.compute(
            ip,
            (same, last) ->
                last != null && last.port.equals(port) && now - last.lastNanos < DOUBT_NANOS
                    ? new Doubt(port, last.firstNanos, now)
                    : new Doubt(port, now, now));
    probe.get().accept(ip, port);
    return now - doubt.firstNanos < DOUBT_NANOS;
  }

  /** Whether endpoints that are behind another port seem to be behind this one. */
  private boolean isDoubtful(PortId port) {
    long now = clockNanos.getAsLong();
    doubts.values().removeIf(doubt -> now - doubt.lastNanos >= DOUBT_NANOS);
    return doubts.values().stream().anyMatch(doubt -> doubt.port.equals(port));
  }

  /** An endpoint has answered there to a probe of ours, wherever it was before. */
  public void confirm(IpAddress ip, PortId port) {
    if (!Addresses.isRoutable(ip)) {
      return;
    }
    if (!store.get(ip).equals(Optional.of(port))) {
      store.put(ip, port);
    }
    doubts.remove(ip);
    ages.seen(ip, clockNanos.getAsLong());
  }

  /**
   * From now on endpoints are not moved by packets, but by their answers to probes.
   *
   * @param sendProbe probes an address at a port; empty: packets move them
   */
  public void confirmBy(Optional<BiConsumer<IpAddress, PortId>> sendProbe) {
    probe = sendProbe;
  }

  private boolean isFull(PortId port) {
    long unreported =
        store.all().entrySet().stream()
            .filter(entry -> entry.getValue().equals(port) && !reported.test(entry.getKey()))
            .count();
    return unreported >= settings.get(SettingTable.ADDRESSES_PER_PORT);
  }

  @Override
  public void forget(IpAddress ip) {
    store.remove(ip);
    doubts.remove(ip);
    ages.retain(all().keySet());
  }

  /** Which addresses agents report: they do not count towards a port's limit. */
  public void follow(Predicate<IpAddress> reportedNow) {
    reported = reportedNow;
  }

  /** What the rule for an address has counted on the switch to which it is attached, packets. */
  public void counted(IpAddress ip, long packets) {
    ages.counted(ip, packets, clockNanos.getAsLong());
  }

  /** For how long this node has neither seen an address nor counted packets for it. */
  public long silentNanos(IpAddress ip) {
    return ages.silentNanos(ip, clockNanos.getAsLong());
  }

  /** Addresses that were not attached because of the limit in the last ten minutes, by port. */
  public Map<PortId, Long> refused() {
    long now = clockNanos.getAsLong();
    Map<PortId, Long> recent = new HashMap<>();
    refusals.forEach(
        (port, refusal) -> {
          if (now - refusal.lastNanos < SHOW_REFUSED_NANOS) {
            recent.put(port, refusal.count);
          }
        });
    return recent;
  }

  /** Before a link is discovered, what arrives over it looks as if it were attached to its port. */
  private void dropInterSwitch() {
    all()
        .forEach(
            (ip, port) -> {
              if (topology.isInterSwitch(port)) {
                store.remove(ip, port);
              }
            });
  }
}
