// SPDX-License-Identifier: Apache-2.0
package org.sluice.forwarding.pipeline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.sluice.api.MacAddress;
import org.sluice.api.PortId;
import org.sluice.core.spi.Epoch;

/**
 * Token buckets: one for each edge port, within it one for each sender, so that neither a port nor
 * a neighbour on the same port pays for a sweep. What the controller sends to all ports is divided
 * evenly among the ports with requests. Who goes far beyond, or beyond for long, is paused at the
 * switch. Answers have buckets of their own, and bear more: else somebody could exhaust another
 * one's budget by requests to it.
 */
public final class PuntBudget implements Punts {
  /** A port behind which several hundred machines start at once stays within. */
  static final int PORT_PER_SECOND = 400;

  static final int PORT_BURST = 800;

  /** A machine that searches for all addresses of a /24 stays within. */
  static final int SENDER_PER_SECOND = 100;

  public static final int SENDER_BURST = 300;

  /** Packets per second that go to edge ports in questions to all of them, over all requesters. */
  static final int FLOOD_PER_SECOND = 5000;

  /** So many refused within a second begin a pause. */
  static final int SENDER_PAUSES_AT = 500;

  static final int PORT_PAUSES_AT = 2000;

  /** So many seconds in a row with more refused than allowed begin one too. */
  static final int PAUSES_AFTER_SECONDS = 5;

  /** Four times a requester's budget, so that the requester is paused first. */
  static final int ANSWERS_PER_SECOND = 400;

  static final int ANSWERS_BURST = 800;
  static final int ANSWERS_PAUSE_AT = 2000;
  static final int PORT_ANSWERS_PER_SECOND = 800;
  static final int PORT_ANSWERS_BURST = 1600;
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Of more senders behind a port no state is kept: they share one bucket. */
  static final int MOST_SENDERS = 64;

  /** Where more senders are paused, their port is: each costs the switch four rules. */
  static final int MOST_PAUSED_SENDERS = 8;

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long FORGET_SENDER_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long SHOW_REFUSED_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** What is left to somebody, and how far he went beyond. */
  private static final class Bucket {
    private final int perSecond;
    private final int burst;
    private final int pausesAt;
    private double left;
    private long usedNanos;
    private long windowNanos;
    private int refusedInWindow;
    private int secondsBeyond;
    private boolean paused;
    private long pausedNanos;

    Bucket(int perSecond, int burst, int pausesAt, long nowNanos) {
      this.perSecond = perSecond;
      this.burst = burst;
      this.pausesAt = pausesAt;
      left = burst;
      usedNanos = nowNanos;
      windowNanos = nowNanos;
    }

    boolean take(long nowNanos) {
      left = Math.min(burst, left + (nowNanos - usedNanos) * (perSecond / (double) SECOND));
      usedNanos = nowNanos;
      if (left < 1) {
        return false;
      }
      left--;
      return true;
    }

    /** Whether a pause begins. */
    boolean refuse(long nowNanos) {
      long windows = (nowNanos - windowNanos) / SECOND;
      if (windows > 0) {
        secondsBeyond = windows == 1 && refusedInWindow > perSecond ? secondsBeyond + 1 : 0;
        windowNanos += windows * SECOND;
        refusedInWindow = 0;
      }
      refusedInWindow++;
      boolean isFarBeyond = refusedInWindow >= pausesAt || secondsBeyond >= PAUSES_AFTER_SECONDS;
      if (!isFarBeyond || isPaused(nowNanos)) {
        return false;
      }
      paused = true;
      pausedNanos = nowNanos;
      secondsBeyond = 0;
      return true;
    }

    boolean isPaused(long nowNanos) {
      return paused && nowNanos - pausedNanos < PAUSE_NANOS;
    }

    boolean isIdle(long nowNanos) {
      return nowNanos - usedNanos >= FORGET_SENDER_NANOS && !isPaused(nowNanos);
    }
  }

  /** A sender's part, for each kind. */
  private static final class Sender {
    private final Bucket questions;
    private final Bucket answers;

    Sender(int pausesAt, long nowNanos) {
      questions = new Bucket(SENDER_PER_SECOND, SENDER_BURST, pausesAt, nowNanos);
      answers = new Bucket(ANSWERS_PER_SECOND, ANSWERS_BURST, ANSWERS_PAUSE_AT, nowNanos);
    }

    Bucket of(Kind kind) {
      return kind == Kind.QUESTION ? questions : answers;
    }

    boolean isIdle(long nowNanos) {
      return questions.isIdle(nowNanos) && answers.isIdle(nowNanos);
    }
  }

  private static final class Port {
    private final Bucket questions;
    private final Bucket answers;
    private final Sender others;
    private final Map<MacAddress, Sender> senders = new LinkedHashMap<>();
    private double floodLeft;
    private long floodNanos;
    private boolean floods;
    private long refused;
    private long refusedNanos;

    Port(long nowNanos) {
      questions = new Bucket(PORT_PER_SECOND, PORT_BURST, PORT_PAUSES_AT, nowNanos);
      answers =
          new Bucket(PORT_ANSWERS_PER_SECOND, PORT_ANSWERS_BURST, Integer.MAX_VALUE, nowNanos);
      others = new Sender(PORT_PAUSES_AT, nowNanos);
    }

    Bucket whole(Kind kind) {
      return kind == Kind.QUESTION ? questions : answers;
    }

    Sender sender(MacAddress mac, long nowNanos) {
      Sender known = senders.get(mac);
      if (known != null) {
        return known;
      }
      if (senders.size() >= MOST_SENDERS) {
        senders.values().removeIf(sender -> sender.isIdle(nowNanos));
      }
      if (senders.size() >= MOST_SENDERS) {
        return others;
      }
      Sender fresh = new Sender(SENDER_PAUSES_AT, nowNanos);
      senders.put(mac, fresh);
      return fresh;
    }

    boolean isPaused(Kind kind, long nowNanos) {
      return whole(kind).isPaused(nowNanos) || others.of(kind).isPaused(nowNanos);
    }

    boolean floodsNow(long nowNanos) {
      return floods && nowNanos - floodNanos < SECOND;
    }
  }

  private final LongSupplier clockNanos;
  private final Epoch epoch = new Epoch();
  private final Map<PortId, Port> ports = new HashMap<>();

  public PuntBudget(LongSupplier clockNanos) {
    this.clockNanos = clockNanos;
  }

  @Override
  public Epoch epoch() {
    return epoch;
  }

  @Override
  public boolean take(PortId at, MacAddress mac, Kind kind) {
    boolean isTaken;
    boolean pauseBegins = false;
    synchronized (this) {
      long now = clockNanos.getAsLong();
      Port port = ports.computeIfAbsent(at, p -> new Port(now));
      Bucket sender = port.sender(mac, now).of(kind);
      Bucket whole = port.whole(kind);
      if (port.isPaused(kind, now) || sender.isPaused(now)) {
        isTaken = false; // On its way already when the pause began.
      } else if (!sender.take(now)) {
        isTaken = false;
        pauseBegins = sender.refuse(now);
      } else {
        isTaken = whole.take(now);
        pauseBegins = !isTaken && whole.refuse(now);
      }
      if (!isTaken) {
        countRefused(port, now);
      }
    }
    if (pauseBegins) {
      epoch.advance();
    }
    return isTaken;
  }

  private static void countRefused(Port port, long nowNanos) {
    port.refused++;
    port.refusedNanos = nowNanos;
  }

  @Override
  public synchronized boolean takeFlood(PortId at, int packets) {
    long now = clockNanos.getAsLong();
    Port port = ports.computeIfAbsent(at, p -> new Port(now));
    int flooding = 0;
    for (Port each : ports.values()) {
      flooding += each != port && each.floodsNow(now) ? 1 : 0;
    }
    double perSecond = FLOOD_PER_SECOND / (flooding + 1.0);
    double burst = perSecond / 2;
    port.floodLeft =
        port.floods
            ? Math.min(burst, port.floodLeft + (now - port.floodNanos) * (perSecond / SECOND))
            : burst;
    port.floods = true;
    port.floodNanos = now;
    if (port.floodLeft <= 0) {
      countRefused(port, now);
      return false;
    }
    port.floodLeft -= packets; // In a large network one question may cost more than there is.
    return true;
  }

  @Override
  public synchronized List<Pause> pauses() {
    long now = clockNanos.getAsLong();
    List<Pause> pauses = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      ports.forEach((at, port) -> pauses.addAll(pauses(at, port, kind, now)));
    }
    return pauses;
  }

  private static List<Pause> pauses(PortId at, Port port, Kind kind, long nowNanos) {
    List<Pause> ofSenders = new ArrayList<>();
    port.senders.forEach(
        (mac, sender) -> {
          if (sender.of(kind).isPaused(nowNanos)) {
            ofSenders.add(Pause.of(at, Optional.of(mac), kind));
          }
        });
    return port.isPaused(kind, nowNanos) || ofSenders.size() > MOST_PAUSED_SENDERS
        ? List.of(Pause.of(at, Optional.empty(), kind))
        : ofSenders;
  }

  @Override
  public synchronized Map<PortId, Long> refused() {
    long now = clockNanos.getAsLong();
    Map<PortId, Long> refused = new HashMap<>();
    ports.forEach(
        (at, port) -> {
          if (port.refused > 0 && now - port.refusedNanos < SHOW_REFUSED_NANOS) {
            refused.put(at, port.refused);
          }
        });
    return refused;
  }
}
