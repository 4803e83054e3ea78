// SPDX-License-Identifier: Apache-2.0
package org.sluice.odl.openflow;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sluice.core.spi.Epoch;
import org.sluice.forwarding.pipeline.CeMeters;
import org.sluice.forwarding.spi.Meter;
import org.sluice.forwarding.spi.MeterTable;
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
final class OdlMeters implements MeterTable {
  /** With what a switch has that does not say how many. */
  private static final long MOST = 65_535;

  private static final Logger log = LoggerFactory.getLogger(OdlMeters.class);

  private final SwitchCalls calls;
  private final Function<String, SendWindow> windows;
  private final Epoch epoch = new Epoch();
  private final Map<String, Map<Long, Stored>> bySwitch = new ConcurrentHashMap<>();
  private final Map<String, Long> most = new ConcurrentHashMap<>();

  /** Removed ones with the step of their removal, until a reading began later. */
  private final Map<String, Map<Long, Long>> removed = new ConcurrentHashMap<>();

  private volatile BiConsumer<String, Long> refusalListener = (datapath, meter) -> {};
  private volatile boolean changesRefused;

  OdlMeters(SwitchCalls calls, Function<String, SendWindow> windows) {
    this.calls = calls;
    this.windows = windows;
  }

  /** A meter that was sent, or found. */
  private static final class Stored {
    private final long id;
    private final long kilobitsPerSecond;
    private final long burstKilobits;
    private final Consumer<String> refused;
    private boolean isConfirmed;
    private boolean isLeaving;
    private boolean isUnderWay;
    private long lifeSeconds;
    private long changedAt;

    Stored(long id, long kilobitsPerSecond, long burstKilobits, Consumer<String> refused) {
      this.id = id;
      this.kilobitsPerSecond = kilobitsPerSecond;
      this.burstKilobits = burstKilobits;
      this.refused = refused;
    }
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  private Map<Long, Stored> of(String datapath) {
    return bySwitch.computeIfAbsent(datapath, d -> new HashMap<>());
  }

  @Override
  public Collection<Meter> meters(String datapath) {
    List<Meter> own = new ArrayList<>();
    synchronized (windows.apply(datapath)) {
      for (Stored stored : of(datapath).values()) {
        if (!stored.isLeaving) {
          own.add(
              Meter.of(
                  stored.id, stored.kilobitsPerSecond, stored.isConfirmed, stored.lifeSeconds));
        }
      }
    }
    return own;
  }

  @Override
  public long add(
      String datapath, long kilobitsPerSecond, long burstKilobits, Consumer<String> refused) {
    SendWindow window = windows.apply(datapath);
    long id;
    synchronized (window) {
      id = free(datapath, kilobitsPerSecond);
      send(datapath, new Stored(id, kilobitsPerSecond, burstKilobits, refused));
    }
    epoch.advance();
    return id;
  }

  private long free(String datapath, long kilobitsPerSecond) {
    Map<Long, Stored> taken = of(datapath);
    long last = most.getOrDefault(datapath, MOST);
    long parity = kilobitsPerSecond == CeMeters.RATE_KILOBITS_PER_SECOND ? 0 : 1;
    for (long id = last / 2 + 1; id <= last; id++) {
      if (id % 2 == parity && !taken.containsKey(id)) {
        return id;
      }
    }
    throw new IllegalStateException("its meters up to number " + last + " are taken");
  }

  private void send(String datapath, Stored stored) {
    SendWindow window = windows.apply(datapath);
    of(datapath).put(stored.id, stored);
    stored.isUnderWay = true;
    window
        .submit(
            () ->
                calls.addMeter(datapath, stored.id, stored.kilobitsPerSecond, stored.burstKilobits))
        .whenComplete((done, failure) -> sent(datapath, stored, failure));
  }

  private void sent(String datapath, Stored stored, Throwable failure) {
    SendWindow window = windows.apply(datapath);
    boolean isRefused = failure instanceof Refusal;
    synchronized (window) {
      ended(stored, window);
      if (stored.isLeaving) {
        return;
      }
      stored.isConfirmed |= failure == null;
      if (isRefused) {
        of(datapath).remove(stored.id, stored);
      }
    }
    if (isRefused) {
      stored.refused.accept(failure.getMessage());
    }
    if (isRefused || failure == null) {
      epoch.advance();
    }
  }

  private static void ended(Stored stored, SendWindow window) {
    stored.isUnderWay = false;
    stored.changedAt = window.step();
  }

  @Override
  public void remove(String datapath, long meter) {
    synchronized (windows.apply(datapath)) {
      Stored stored = of(datapath).get(meter);
      if (stored != null && !stored.isLeaving) {
        remove(datapath, stored);
      }
    }
    epoch.advance();
  }

  private void remove(String datapath, Stored stored) {
    stored.isLeaving = true;
    stored.isUnderWay = true;
    windows
        .apply(datapath)
        .submit(() -> calls.removeMeter(datapath, stored.id))
        .whenComplete((done, failure) -> left(datapath, stored, failure));
  }

  private void left(String datapath, Stored stored, Throwable failure) {
    SendWindow window = windows.apply(datapath);
    synchronized (window) {
      ended(stored, window);
      if (failure == null || failure instanceof Refusal) { // It does not have it.
        forget(datapath, stored);
      }
    }
  }

  private void forget(String datapath, Stored stored) {
    of(datapath).remove(stored.id, stored);
    removed.computeIfAbsent(datapath, d -> new HashMap<>()).put(stored.id, stored.changedAt);
  }

  @Override
  public boolean change(String datapath, long meter, long kilobitsPerSecond, long burstKilobits) {
    SendWindow window = windows.apply(datapath);
    synchronized (window) {
      Stored stored = of(datapath).get(meter);
      if (!window.isOpen() || stored == null || stored.isLeaving) {
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

  /** The switch went away, and may come back without them. */
  void doubt(String datapath) {
    synchronized (windows.apply(datapath)) {
      of(datapath).values().forEach(stored -> stored.isConfirmed = false);
    }
    epoch.advance();
  }

  /**
   * Compares what is remembered with what a switch has.
   *
   * @param found its meters
   * @param began the step at which it was asked; what has happened since is left alone
   */
  void audit(String datapath, Collection<Reading> found, long began) {
    SendWindow window = windows.apply(datapath);
    synchronized (window) {
      Map<Long, Long> there = new HashMap<>();
      found.forEach(meter -> there.put(meter.number(), meter.lifeSeconds()));
      for (Stored stored : List.copyOf(of(datapath).values())) {
        Long life = there.remove(stored.id);
        if (!stored.isUnderWay && stored.changedAt < began) {
          audit(datapath, stored, life);
        } else if (life != null) {
          stored.lifeSeconds = life;
        }
      }
      Map<Long, Long> gone = removed.getOrDefault(datapath, Map.of());
      gone.values().removeIf(at -> at < began);
      long last = most.getOrDefault(datapath, MOST);
      there.forEach(
          (id, life) -> {
            if (id > last / 2 && id <= last && !gone.containsKey(id)) {
              find(datapath, id, life);
            }
          });
    }
    epoch.advance();
  }

  private void audit(String datapath, Stored stored, Long life) {
    if (stored.isLeaving && life == null) {
      forget(datapath, stored);
    } else if (stored.isLeaving) {
      remove(datapath, stored);
    } else if (life != null) {
      stored.isConfirmed = true;
      stored.lifeSeconds = life;
    } else if (stored.kilobitsPerSecond == 0) {
      forget(datapath, stored);
    } else {
      stored.lifeSeconds = 0;
      send(datapath, stored);
    }
  }

  private void find(String datapath, long id, long life) {
    boolean countsMarks = id % 2 == 0;
    Stored stored =
        new Stored(
            id,
            countsMarks ? CeMeters.RATE_KILOBITS_PER_SECOND : 0,
            countsMarks ? CeMeters.BURST_KILOBITS : 0,
            reason -> {});
    stored.isConfirmed = true;
    stored.lifeSeconds = life;
    of(datapath).put(id, stored);
  }

  /** How many meters of a switch are still to be taken back. */
  long leaving(String datapath) {
    synchronized (windows.apply(datapath)) {
      return of(datapath).values().stream().filter(stored -> stored.isLeaving).count();
    }
  }

  /** The switch is another node's. */
  void forget(String datapath) {
    synchronized (windows.apply(datapath)) {
      bySwitch.remove(datapath);
      removed.remove(datapath);
    }
    epoch.advance();
  }
}
