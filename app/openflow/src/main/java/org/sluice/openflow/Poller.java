// SPDX-License-Identifier: Apache-2.0
package org.sluice.openflow;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.projectfloodlight.openflow.protocol.OFMessage;
import org.projectfloodlight.openflow.protocol.OFMeterStats;
import org.projectfloodlight.openflow.protocol.OFMeterStatsReply;
import org.projectfloodlight.openflow.protocol.OFPortStatsEntry;
import org.projectfloodlight.openflow.protocol.OFPortStatsReply;
import org.projectfloodlight.openflow.protocol.OFStatsReply;
import org.sluice.api.PortId;
import org.sluice.api.counters.CounterListener;
import org.sluice.api.counters.CounterTargets;
import org.sluice.api.counters.MeterSample;
import org.sluice.api.counters.PortSample;

/**
 * Polls one switch for its counters as the plan says, one request at a time, and makes samples of
 * the replies. A reply that comes after its request was given up, or that nobody requested, is
 * counted and forgotten. Not thread-safe: one thread does everything.
 */
final class Poller {
  /** After this long without a reply a request is given up. */
  static final long TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** After several in a row the switch is polled less and less, down to this. */
  static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int RX_PACKETS = 0;
  private static final int RX_BYTES = 1;
  private static final int TX_PACKETS = 2;
  private static final int TX_BYTES = 3;
  private static final int TX_DROPPED = 4;

  /** A counter that the switch does not have; OpenFlow 1.3.5, section 7.3.5.6. */
  private static final long UNSUPPORTED = -1;

  private static final int PACKETS = 0;
  private static final int BYTES = 1;

  /** What the poller does to the world. */
  interface Wire {
    void send(OFMessage message);

    /** Calls {@link Poller#wake} then; a later call replaces an earlier one. */
    void wakeAt(long nanos);
  }

  private final String datapath;
  private final Wire wire;
  private final CounterListener listener;
  private final LongSupplier clockNanos;
  private final Xids xids;
  private final PollPlan plan = new PollPlan();
  private final PollCounts counts;
  private final Map<Long, Counters> ports = new HashMap<>();
  private final Map<Long, Counters> meters = new HashMap<>();

  private CounterTargets targets = CounterTargets.of(Map.of(), Map.of());
  private boolean polling;
  private PollRequest asked;
  private long askedXid;
  private long requestedNanos;
  private Assembly assembly;
  private int timeoutsInARow;
  private long pausedUntilNanos;
  private boolean paused;

  Poller(
      String datapath,
      Wire wire,
      CounterListener listener,
      LongSupplier clockNanos,
      Xids xids,
      PollCounts counts) {
    this.datapath = datapath;
    this.wire = wire;
    this.listener = listener;
    this.clockNanos = clockNanos;
    this.xids = xids;
    this.counts = counts;
  }

  /** Reads these from now on; empty: nothing. */
  void setTargets(Optional<CounterTargets> wanted) {
    polling = wanted.isPresent();
    wanted.ifPresent(
        now -> {
          targets = now;
          plan.setTargets(now, clockNanos.getAsLong());
          ports.keySet().retainAll(now.portCapacities().keySet());
          meters.keySet().retainAll(now.markMeters().keySet());
        });
    if (!polling) {
      // Who knows when it goes on: what was read by then says nothing.
      ports.clear();
      meters.clear();
    }
    wake();
  }

  /** Reads a port every 5 ms for a while. */
  void watch(long port, long forNanos) {
    long now = clockNanos.getAsLong();
    plan.watch(port, now + forNanos, now);
    wake();
  }

  /** Does what is due. */
  void wake() {
    long now = clockNanos.getAsLong();
    if (asked != null && now - requestedNanos >= TIMEOUT_NANOS) {
      giveUp(now);
    }
    if (paused && now - pausedUntilNanos >= 0) {
      paused = false;
    }
    if (asked == null && polling && !paused) {
      plan.next(now).ifPresent(request -> send(request, now));
    }
    if (asked != null) {
      wire.wakeAt(requestedNanos + TIMEOUT_NANOS);
    } else if (polling) {
      wire.wakeAt(paused ? pausedUntilNanos : plan.nextNanos(now));
    }
  }

  private void send(PollRequest request, long now) {
    asked = request;
    askedXid = xids.next();
    requestedNanos = now;
    assembly = new Assembly();
    counts.requested();
    wire.send(Messages.statistics(request, askedXid));
  }

  private void giveUp(long now) {
    asked = null;
    counts.timedOut();
    // Doubled each time: 250 ms are lost already, so the first pause is none.
    long pause = TIMEOUT_NANOS * ((1L << Math.min(timeoutsInARow, 4)) - 1);
    timeoutsInARow++;
    paused = true;
    pausedUntilNanos = now + Math.min(pause, MAX_PAUSE_NANOS);
  }

  /**
   * A multipart reply came.
   *
   * @throws ProtocolFault if it cannot be read
   */
  void replied(Frame frame) throws ProtocolFault {
    if (asked == null || frame.xid() != askedXid) {
      counts.stale();
      return;
    }
    OFMessage message = frame.parse();
    if (!(message instanceof OFStatsReply)) {
      throw new ProtocolFault("a message that is not a multipart reply has its type");
    }
    if (!assembly.add((OFStatsReply) message, frame.length())) {
      return;
    }
    long now = clockNanos.getAsLong();
    PollRequest request = asked;
    asked = null;
    timeoutsInARow = 0;
    counts.answered(now - requestedNanos);
    plan.replied(request, assembly.bytes());
    take(request, now);
    wake();
  }

  /** An error came: if it answers the request, the switch does not have the port or meter. */
  void refused(long xid) {
    if (asked != null && xid == askedXid) {
      plan.missing(asked, clockNanos.getAsLong());
      asked = null;
      timeoutsInARow = 0;
      counts.refused();
      wake();
    }
  }

  /** Takes what the reply says of what was requested; what it says nothing of is not there. */
  private void take(PollRequest request, long now) {
    Set<Long> wanted = new HashSet<>(requested(request));
    for (OFStatsReply part : assembly.parts()) {
      if (request.kind() == PollRequest.Kind.PORT && part instanceof OFPortStatsReply) {
        for (OFPortStatsEntry entry : ((OFPortStatsReply) part).getEntries()) {
          long number = Integer.toUnsignedLong(entry.getPortNo().getPortNumber());
          if (wanted.remove(number)) {
            takePort(number, entry, now);
          }
        }
      } else if (request.kind() == PollRequest.Kind.METER && part instanceof OFMeterStatsReply) {
        for (OFMeterStats entry : ((OFMeterStatsReply) part).getEntries()) {
          if (wanted.remove(entry.getMeterId())) {
            takeMeter(entry.getMeterId(), entry, now);
          }
        }
      }
    }
    wanted.forEach(number -> plan.missing(new PollRequest(request.kind(), number), now));
  }

  private Set<Long> requested(PollRequest request) {
    if (!request.isForAll()) {
      return Set.of(request.number());
    }
    return request.kind() == PollRequest.Kind.PORT
        ? targets.portCapacities().keySet()
        : targets.markMeters().keySet();
  }

  private void takePort(long number, OFPortStatsEntry entry, long now) {
    long[] counters = {
      entry.getRxPackets().getValue(),
      entry.getRxBytes().getValue(),
      entry.getTxPackets().getValue(),
      entry.getTxBytes().getValue(),
      entry.getTxDropped().getValue()
    };
    boolean countsDrops = counters[TX_DROPPED] != UNSUPPORTED;
    ports
        .computeIfAbsent(number, n -> new Counters())
        .read(counters, entry.getDurationSec(), entry.getDurationNsec(), now)
        .ifPresent(
            added -> {
              PortSample sample =
                  PortSample.builder(PortId.of(datapath, number))
                      .rxPackets(added.count(RX_PACKETS))
                      .rxBytes(added.count(RX_BYTES))
                      .txPackets(added.count(TX_PACKETS))
                      .txBytes(added.count(TX_BYTES))
                      .txDroppedPackets(
                          countsDrops ? added.count(TX_DROPPED) : PortSample.NOT_COUNTED)
                      .intervalNanos(added.intervalNanos())
                      .build();
              plan.portRead(
                  number,
                  sample.rxPackets() + sample.txPackets() > 0,
                  sample.rxBitsPerSecond(),
                  sample.txBitsPerSecond(),
                  now);
              listener.portRead(sample);
            });
  }

  private void takeMeter(long number, OFMeterStats entry, long now) {
    long[] counters = {entry.getPacketInCount().getValue(), entry.getByteInCount().getValue()};
    meters
        .computeIfAbsent(number, n -> new Counters())
        .read(counters, entry.getDurationSec(), entry.getDurationNsec(), now)
        .ifPresent(
            added -> {
              plan.meterRead(number, added.count(PACKETS), now);
              listener.meterRead(
                  MeterSample.of(
                      datapath,
                      number,
                      added.count(PACKETS),
                      added.count(BYTES),
                      added.intervalNanos()));
            });
  }
}
