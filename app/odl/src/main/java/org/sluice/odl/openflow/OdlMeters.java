// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import static java.util.stream.Collectors.toList;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.forwarding.pipeline.CeMeters;
import org.sluice.forwarding.spi.Meter;
import org.sluice.forwarding.spi.MeterTable;
import org.sluice.forwarding.spi.RuleTable.State;
import org.sluice.odl.openflow.SwitchCalls.Refusal;
import org.sluice.polling.Reading;

/**
 * Meters by openflowplugin's meter service. Their numbers are from the upper half of those that a
 * switch has, so that those of an earlier life are known as ours.
 *
 * <p>No service of openflowplugin's says what rate a meter has. So even numbers are of meters that
 * count marks, which all have the same one; another meter that is found has rate 0, which nobody
 * wants, and is replaced.
 */
final class OdlMeters extends SentTable<Long, OdlMeters.Stored, Reading> implements MeterTable {
  /** With what a switch has that does not say how many. */
  private static final long MOST = 65_535;

  private static final Logger log = LoggerFactory.getLogger(OdlMeters.class);

  private final Map<String, Long> most = new ConcurrentHashMap<>();
  private volatile BiConsumer<String, Long> refusalListener = (datapath, meter) -> {};
  private volatile boolean changesRefused;

  OdlMeters(SwitchCalls calls, Function<String, SendWindow> windows) {
    super(calls, windows);
  }

  /** A meter that was sent, or found. */
  static final class Stored extends SentTable.Item<Long> {
    private final long kilobitsPerSecond;
    private final long burstKilobits;
    private final Consumer<String> refused;
    private volatile long lifeSeconds;

    /** Whether what has its number on the switch is what was added here, or was found. */
    private boolean isKnown;

    Stored(
        String datapath,
        long id,
        State state,
        long kilobitsPerSecond,
        long burstKilobits,
        Consumer<String> refused) {
      super(datapath, id, state);
      this.kilobitsPerSecond = kilobitsPerSecond;
      this.burstKilobits = burstKilobits;
      this.refused = refused;
    }
  }

  @Override
  CompletableFuture<?> adding(Stored stored) {
    stored.lifeSeconds = 0;
    stored.isKnown = true;
    return calls.addMeter(
        stored.datapath, stored.key, stored.kilobitsPerSecond, stored.burstKilobits);
  }

  @Override
  CompletableFuture<?> removing(Stored stored) {
    return calls.removeMeter(stored.datapath, stored.key);
  }

  @Override
  void refused(Stored stored, String reason) {
    forget(stored);
    stored.refused.accept(reason);
  }

  @Override
  Long keyOf(Reading found) {
    return found.number();
  }

  @Override
  void read(Stored stored, Reading found, boolean isSettled) {
    stored.lifeSeconds = found.lifeSeconds();
    if (!stored.isKnown && !countsMarks(stored.key)) {
      replace(stored);
    }
  }

  /**
   * It was given its number before the switch was read, and one of an earlier life has the number
   * there. That one's rules go with it; the next audit sends them again.
   */
  private void replace(Stored stored) {
    var unused = // The one that comes in its place says how it ended.
        windows.apply(stored.datapath).submit(() -> calls.removeMeter(stored.datapath, stored.key));
    send(stored);
  }

  private static boolean countsMarks(long id) {
    return id % 2 == 0;
  }

  @Override
  boolean isWhole(Stored stored) {
    return stored.kilobitsPerSecond > 0;
  }

  @Override
  Optional<Stored> discovered(String datapath, Long id, Reading found) {
    long last = most.getOrDefault(datapath, MOST);
    if (id <= last / 2 || id > last) {
      return Optional.empty();
    }
    Stored stored =
        new Stored(
            datapath,
            id,
            State.CONFIRMED,
            countsMarks(id) ? CeMeters.RATE_KILOBITS_PER_SECOND : 0,
            countsMarks(id) ? CeMeters.BURST_KILOBITS : 0,
            reason -> {});
    stored.isKnown = true;
    stored.lifeSeconds = found.lifeSeconds();
    return Optional.of(stored);
  }

  /** How long one stood says nothing any more: it would seem the same one if it stood as long. */
  @Override
  void doubt(String datapath) {
    all(datapath).forEach(stored -> stored.lifeSeconds = 0);
    super.doubt(datapath);
  }

  @Override
  public Collection<Meter> meters(String datapath) {
    return standing(datapath).stream()
        .map(
            stored ->
                Meter.of(
                    stored.key,
                    stored.kilobitsPerSecond,
                    stored.state == State.CONFIRMED,
                    stored.lifeSeconds))
        .collect(toList());
  }

  @Override
  public long add(
      String datapath, long kilobitsPerSecond, long burstKilobits, Consumer<String> refused) {
    synchronized (windows.apply(datapath)) {
      long id = free(datapath, kilobitsPerSecond);
      send(new Stored(datapath, id, State.SENT, kilobitsPerSecond, burstKilobits, refused));
      return id;
    }
  }

  private long free(String datapath, long kilobitsPerSecond) {
    long last = most.getOrDefault(datapath, MOST);
    boolean countsMarks = kilobitsPerSecond == CeMeters.RATE_KILOBITS_PER_SECOND;
    for (long id = last / 2 + 1; id <= last; id++) {
      if (countsMarks(id) == countsMarks && !of(datapath).containsKey(id)) {
        return id;
      }
    }
    throw new IllegalStateException("its meters up to number " + last + " are taken");
  }

  @Override
  public void remove(String datapath, long meter) {
    synchronized (windows.apply(datapath)) {
      Optional.ofNullable(of(datapath).get(meter))
          .filter(stored -> !stored.isLeaving())
          .ifPresent(this::remove);
    }
  }

  @Override
  public boolean change(String datapath, long meter, long kilobitsPerSecond, long burstKilobits) {
    SendWindow window = windows.apply(datapath);
    synchronized (window) {
      Stored stored = of(datapath).get(meter);
      if (!window.isOpen() || stored == null || stored.isLeaving()) {
        return false;
      }
      window
          .submit(() -> calls.changeMeter(datapath, meter, kilobitsPerSecond, burstKilobits))
          .whenComplete((done, failure) -> changed(datapath, meter, failure));
      return true;
    }
  }

  private void changed(String datapath, long meter, Throwable failure) {
    if (failure instanceof Refusal) {
      if (!changesRefused) {
        changesRefused = true;
        log.warn(
            "Switch {} refused to change a meter: {}. If it says METEREXISTS, set"
                + " use-single-layer-serialization=false in"
                + " etc/org.opendaylight.openflowplugin.cfg and restart OpenDaylight; until then"
                + " another meter is made for each rate",
            datapath,
            failure.getMessage());
      }
      refusalListener.accept(datapath, meter);
    } else if (failure == null) {
      changesRefused = false;
    }
  }

  @Override
  public void setRefusalListener(BiConsumer<String, Long> listener) {
    refusalListener = listener;
  }

  /** Whether the last change of a meter was refused: OpenDaylight's defaults make each fail. */
  boolean changesRefused() {
    return changesRefused;
  }

  /** So many meters a switch has; what it has been sent before keeps its number. */
  void setMost(String datapath, long number) {
    most.put(datapath, Math.min(MOST, number));
  }
}
