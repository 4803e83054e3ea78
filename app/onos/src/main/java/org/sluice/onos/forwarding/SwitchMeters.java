// SPDX-License-Identifier: Apache-2.0
package org.sluice.onos.forwarding;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.onosproject.core.ApplicationId;
import org.onosproject.net.DeviceId;
import org.onosproject.net.meter.Band;
import org.onosproject.net.meter.DefaultBand;
import org.onosproject.net.meter.DefaultMeterRequest;
import org.onosproject.net.meter.Meter;
import org.onosproject.net.meter.MeterCellId;
import org.onosproject.net.meter.MeterContext;
import org.onosproject.net.meter.MeterFailReason;
import org.onosproject.net.meter.MeterId;
import org.onosproject.net.meter.MeterRequest;
import org.onosproject.net.meter.MeterService;
import org.onosproject.net.meter.MeterState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The application's meters of one kind in ONOS's store and on switches. Meters outlive ONOS there,
 * so that those of an earlier life are found. A switch that refuses one is sent none for a while.
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

  private static final Logger log = LoggerFactory.getLogger(SwitchMeters.class);

  private final MeterService meters;
  private final ApplicationId application;
  private final LongSupplier clockNanos;
  private final Predicate<Meter> isOfKind;
  private final String consequence;
  private final Map<DeviceId, Long> refusedUntil = new HashMap<>();

  /** Switches that have refused a meter since the last call, each with the reason; any thread. */
  private final Map<DeviceId, MeterFailReason> refusals = new ConcurrentHashMap<>();

  private final Map<DeviceId, Unconfirmed> unconfirmed = new HashMap<>();

  /** Meters that the switch has not reported since it came back, by how long each had stood. */
  private static final class Unconfirmed {
    private final Map<MeterId, Long> lives = new HashMap<>();
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
      MeterService meters,
      ApplicationId application,
      LongSupplier clockNanos,
      Predicate<Meter> isOfKind,
      String consequence) {
    this.meters = meters;
    this.application = application;
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
  Map<MeterId, Meter> own(DeviceId device) {
    Map<MeterId, Meter> own = new HashMap<>();
    for (Meter meter : meters.getMeters(device)) {
      if (application.equals(meter.appId())
          && meter.state() != MeterState.PENDING_REMOVE
          && isOfKind.test(meter)
          && meter.meterCellId() instanceof MeterId) {
        own.put((MeterId) meter.meterCellId(), meter);
      }
    }
    return own;
  }

  /** Whether a switch has said that a meter stands, since it came back if it was away. */
  boolean stands(DeviceId device, Meter meter) {
    return meter.state() == MeterState.ADDED && isConfirmed(device, meter);
  }

  private boolean isConfirmed(DeviceId device, Meter meter) {
    Unconfirmed at = unconfirmed.get(device);
    if (at == null) {
      return true;
    }
    if (clockNanos.getAsLong() - at.untilNanos >= 0) {
      unconfirmed.remove(device);
      return true;
    }
    Long life = at.lives.get((MeterId) meter.meterCellId());
    return life == null || life != meter.life();
  }

  /**
   * Requests a meter from a switch, that drops what exceeds a rate.
   *
   * @return its number; empty: the switch takes none
   */
  Optional<MeterId> submit(DeviceId device, long kilobitsPerSecond, long burstKilobits) {
    if (refusedUntil.getOrDefault(device, Long.MIN_VALUE) > clockNanos.getAsLong()) {
      return Optional.empty();
    }
    try {
      Meter meter =
          meters.submit(
              request(device, kilobitsPerSecond, burstKilobits, new Refusal(device)).add());
      return Optional.of((MeterId) meter.meterCellId());
    } catch (RuntimeException e) {
      // The store has no identifier left to give: the switch said it has no meters.
      refused(device, e.toString());
      return Optional.empty();
    }
  }

  /**
   * Whether a switch has refused a meter since the last call; then it is sent no request for a
   * while.
   */
  boolean takeRefusal(DeviceId device) {
    MeterFailReason reason = refusals.remove(device);
    if (reason == null) {
      return false;
    }
    refused(device, reason.toString());
    return true;
  }

  private void refused(DeviceId device, String reason) {
    if (refusedUntil.put(device, clockNanos.getAsLong() + RETRY_NANOS) == null) {
      log.warn("Switch {} takes no meter ({}): {}", device, reason, consequence);
    }
  }

  /** Takes a meter back; its rules go with it, on the switch. */
  void withdraw(DeviceId device, MeterId meter) {
    meters.withdraw(request(device, 1, 1, new MeterContext() {}).remove(), (MeterCellId) meter);
  }

  /**
   * The switch came, or came back. ONOS's store has meters stand which an emptied switch does not
   * have, and gives them back with the next statistics: a rule that came first would be refused.
   */
  void returned(DeviceId device) {
    unconfirmed.computeIfAbsent(device, this::unconfirmed).untilNanos =
        clockNanos.getAsLong() + CONFIRMED_NANOS;
  }

  private Unconfirmed unconfirmed(DeviceId device) {
    Unconfirmed now = new Unconfirmed(clockNanos.getAsLong() + CONFIRMED_NANOS);
    own(device).forEach((id, meter) -> now.lives.put(id, meter.life()));
    return now;
  }

  /** The switch went away: what it refused it may take when it comes back, perhaps empty. */
  void forget(DeviceId device) {
    refusedUntil.remove(device);
    unconfirmed.put(device, unconfirmed(device));
  }

  private MeterRequest.Builder request(
      DeviceId device, long kilobitsPerSecond, long burstKilobits, MeterContext context) {
    Band band =
        DefaultBand.builder()
            .ofType(Band.Type.DROP)
            .withRate(kilobitsPerSecond)
            .burstSize(burstKilobits)
            .build();
    return DefaultMeterRequest.builder()
        .forDevice(device)
        .fromApp(application)
        .withUnit(Meter.Unit.KB_PER_SEC)
        .burst()
        .withBands(List.of(band))
        .withContext(context);
  }

  private final class Refusal implements MeterContext {
    private final DeviceId device;

    Refusal(DeviceId device) {
      this.device = device;
    }

    @Override
    public void onError(MeterRequest request, MeterFailReason reason) {
      log.warn("Switch {} refused a meter: {}", device, reason);
      refusals.put(device, reason);
    }
  }
}
