// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.forwarding.spi.Meter;
import org.sluice.forwarding.spi.MeterTable;

/**
 * Sluice's meters of one kind on switches. Meters outlive the controller there, so that those of an
 * earlier life are found. A switch that refuses one is sent none for a while.
 *
 * <p>Not thread-safe.
 */
final class SwitchMeters {
  /** After a switch refused a meter the request is repeated, in case it was only not ready. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Switches that do not report how long a meter has stood are trusted after that. */
  private static final long CONFIRMED_NANOS = TimeUnit.SECONDS.toNanos(30);

  /**
   * The bucket of a meter that limits TCP holds what its rate brings in that time, the least
   * retransmission timeout of most: where round trips are short, whole windows are lost through a
   * smaller one, and TCP gets a tenth of the rate through a bucket of some packets.
   */
  private static final long BURST_MILLIS = 200;

  /** Even of a slow one's bucket: some of the largest offloaded segments. */
  private static final long LEAST_BURST_KILOBITS = 2_000;

  /** Of a fast one's: what every Open vSwitch counts with, as for {@link CeMeters}. */
  private static final long MOST_BURST_KILOBITS = 2_000_000;

  /**
   * From then on a meter that was sent may be used: the switch gets its rules later, by the same
   * connection. A platform may know only by its next statistics, up to 10 s later, that it stands.
   */
  static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final Logger log = LoggerFactory.getLogger(SwitchMeters.class);

  private final MeterTable meters;
  private final LongSupplier clockNanos;
  private final Predicate<Meter> isOfKind;
  private final String consequence;
  private final Map<String, Long> refusedUntil = new HashMap<>();

  /** Switches that have refused a meter since the last call, each with the reason; any thread. */
  private final Map<String, String> refusals = new ConcurrentHashMap<>();

  private final Map<String, Unconfirmed> unconfirmed = new HashMap<>();
  private final Map<String, Map<Long, Long>> unneededSince = new HashMap<>();

  /** A meter that was sent to a switch. */
  static final class Sent {
    final Long id;
    final long kilobitsPerSecond;
    private final long atNanos;

    private Sent(Long id, long kilobitsPerSecond, long atNanos) {
      this.id = id;
      this.kilobitsPerSecond = kilobitsPerSecond;
      this.atNanos = atNanos;
    }

    /** Whether the switch has said that it stands, ever. */
    boolean hasStood(Map<Long, Meter> own) {
      Meter meter = own.get(id);
      return meter != null && meter.isConfirmed();
    }
  }

  /** Meters that the switch has not reported since it came back, by how long each had stood. */
  private static final class Unconfirmed {
    private final Map<Long, Long> lives = new HashMap<>();
    private long untilNanos;

    Unconfirmed(long untilNanos) {
      this.untilNanos = untilNanos;
    }
  }

  /**
   * Meters of a kind.
   *
   * @param isOfKind distinguishes them from the application's others
   * @param consequence what it means that a switch takes none, for the log
   */
  SwitchMeters(
      MeterTable meters, LongSupplier clockNanos, Predicate<Meter> isOfKind, String consequence) {
    this.meters = meters;
    this.clockNanos = clockNanos;
    this.isOfKind = isOfKind;
    this.consequence = consequence;
  }

  /** The bucket of a meter that limits TCP to a rate, kbit. */
  static long burst(long kilobitsPerSecond) {
    long burst = kilobitsPerSecond * BURST_MILLIS / 1000;
    return Math.min(MOST_BURST_KILOBITS, Math.max(LEAST_BURST_KILOBITS, burst));
  }

  /** Those of a switch that stand or will, by number. */
  Map<Long, Meter> own(String datapath) {
    Map<Long, Meter> own = new HashMap<>();
    for (Meter meter : meters.meters(datapath)) {
      if (isOfKind.test(meter)) {
        own.put(meter.id(), meter);
      }
    }
    return own;
  }

  /** Whether a switch has said that a meter stands, since it came back if it was away. */
  boolean stands(String datapath, Meter meter) {
    return meter.isConfirmed() && isConfirmed(datapath, meter);
  }

  /** One that the store does not have after a moment was refused, or taken away. */
  boolean isThere(Sent sent, Map<Long, Meter> own) {
    return own.containsKey(sent.id) || !hasSettled(sent);
  }

  /** Whether rules may use a meter. */
  boolean isUsable(String datapath, Sent sent, Map<Long, Meter> own) {
    Meter meter = own.get(sent.id);
    return meter != null && (stands(datapath, meter) || hasSettled(sent));
  }

  private boolean hasSettled(Sent sent) {
    return clockNanos.getAsLong() - sent.atNanos >= SETTLE_NANOS;
  }

  private boolean isConfirmed(String datapath, Meter meter) {
    Unconfirmed at = unconfirmed.get(datapath);
    if (at == null) {
      return true;
    }
    if (clockNanos.getAsLong() - at.untilNanos >= 0) {
      unconfirmed.remove(datapath);
      return true;
    }
    Long life = at.lives.get(meter.id());
    return life == null || life != meter.lifeSeconds();
  }

  /**
   * Requests a meter from a switch, that drops what exceeds a rate.
   *
   * @return empty: the switch takes none
   */
  Optional<Sent> submit(String datapath, long kilobitsPerSecond, long burstKilobits) {
    if (refusedUntil.getOrDefault(datapath, Long.MIN_VALUE) > clockNanos.getAsLong()) {
      return Optional.empty();
    }
    try {
      long id =
          meters.add(
              datapath, kilobitsPerSecond, burstKilobits, reason -> noteRefusal(datapath, reason));
      return Optional.of(new Sent(id, kilobitsPerSecond, clockNanos.getAsLong()));
    } catch (RuntimeException e) {
      // No number is left to give: the switch said it has no meters.
      refused(datapath, e.toString());
      return Optional.empty();
    }
  }

  /**
   * Whether a switch has refused a meter since the last call; then it is sent no request for a
   * while.
   */
  boolean takeRefusal(String datapath) {
    String reason = refusals.remove(datapath);
    if (reason == null) {
      return false;
    }
    refused(datapath, reason);
    return true;
  }

  private void refused(String datapath, String reason) {
    if (refusedUntil.put(datapath, clockNanos.getAsLong() + RETRY_NANOS) == null) {
      log.warn("Switch {} takes no meter ({}): {}", datapath, reason, consequence);
    }
  }

  /**
   * Takes meters back that have not been needed for a while. Their rules go with them, on the
   * switch: these were led past them before.
   *
   * @param unneeded all of them now
   * @return those that were taken back
   */
  Set<Long> withdraw(String datapath, Set<Long> unneeded, long afterNanos) {
    Map<Long, Long> since = unneededSince.computeIfAbsent(datapath, d -> new HashMap<>());
    since.keySet().retainAll(unneeded);
    long now = clockNanos.getAsLong();
    Set<Long> withdrawn = new HashSet<>();
    for (Long meter : unneeded) {
      if (now - since.computeIfAbsent(meter, m -> now) >= afterNanos) {
        meters.remove(datapath, meter);
        withdrawn.add(meter);
      }
    }
    return withdrawn;
  }

  /** Takes all meters of a switch back. */
  void withdrawAll(String datapath) {
    own(datapath).keySet().forEach(meter -> meters.remove(datapath, meter));
  }

  private void noteRefusal(String datapath, String reason) {
    log.warn("Switch {} refused a meter: {}", datapath, reason);
    refusals.put(datapath, reason);
  }

  /**
   * The switch came, or came back. The platform has meters stand which an emptied switch does not
   * have, and gives them back with the next statistics: a rule that came first would be refused.
   */
  void returned(String datapath) {
    unconfirmed.computeIfAbsent(datapath, this::unconfirmed).untilNanos =
        clockNanos.getAsLong() + CONFIRMED_NANOS;
  }

  private Unconfirmed unconfirmed(String datapath) {
    Unconfirmed now = new Unconfirmed(clockNanos.getAsLong() + CONFIRMED_NANOS);
    own(datapath).forEach((id, meter) -> now.lives.put(id, meter.lifeSeconds()));
    return now;
  }

  /** The switch went away: what it refused it may take when it comes back, perhaps empty. */
  void forget(String datapath) {
    refusedUntil.remove(datapath);
    unconfirmed.put(datapath, unconfirmed(datapath));
    lose(datapath);
  }

  /** The switch is another node's by now. */
  void lose(String datapath) {
    unneededSince.remove(datapath);
  }
}
