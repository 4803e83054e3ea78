// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.opentcp;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.sluice.api.PortId;
import org.sluice.api.counters.PortSample;
import org.sluice.api.link.PortQueueObservation;
import org.sluice.api.link.PortQueueSample;
import org.sluice.engine.opentcp.LinkReadings;

/**
 * What ports have sent and dropped, added up from whatever counts them, cycle by cycle. Where a
 * port's agent reports, the switch's own counters are left out: its queue is where packets are
 * dropped. Engine thread only; adding allocates nothing for a port that is known.
 */
final class LinkCounters {
  /** A report may be late; the oracle bears with one cycle without, too. */
  private static final int SILENT_CYCLES = 2;

  /** Who counts, the better one later. */
  private enum Source {
    NONE,
    SWITCH,
    PORT_AGENT
  }

  /** Sums since a port is known. */
  private static final class Sums {
    private long bytes;
    private long packets;
    private long drops;

    /** For how long was counted, ns. */
    private long nanos;

    private void set(Sums other) {
      bytes = other.bytes;
      packets = other.packets;
      drops = other.drops;
      nanos = other.nanos;
    }

    private void readInto(LinkReadings readings, int link) {
      readings.read(link, bytes, packets, drops, nanos);
    }
  }

  private static final class Port {
    private final Sums now = new Sums();

    /** When the present cycle began. */
    private final Sums start = new Sums();

    /** At the end of the latest cycle in which anything was counted, and of the one before. */
    private final Sums latest = new Sums();

    private final Sums before = new Sums();
    private Source source = Source.NONE;
    private int silentCycles;

    /** Whether anything was counted in the present cycle, and in the one that has ended. */
    private boolean isCounted;

    private boolean wasCounted;
    private boolean areDropsCounted = true;

    /** How long the interval of the latest sample was. */
    private long intervalNanos;

    private void roll() {
      if (isCounted) {
        before.set(latest);
        latest.set(now);
        if (!areDropsCounted) {
          latest.drops = LinkReadings.NOT_COUNTED;
        }
      }
      isCounted = false;
      areDropsCounted = true;
      start.set(now);
    }

    /** A better source has begun: what the one before has counted in this cycle, it counts too. */
    private void takeFrom(Source better) {
      source = better;
      now.set(start);
      areDropsCounted = true;
    }
  }

  private final Map<PortId, Port> ports = new HashMap<>();

  /** A switch's counters were read. */
  void add(PortSample sample) {
    add(
        sample.port(),
        Source.SWITCH,
        sample.txBytes(),
        sample.txPackets(),
        sample.txDroppedPackets(),
        sample.intervalNanos());
  }

  /** An agent has reported its ports' queues. */
  void add(PortQueueObservation observation) {
    for (PortQueueSample sample : observation.ports()) {
      if (!sample.port().isReceiver()) {
        add(
            sample.port(),
            Source.PORT_AGENT,
            sample.sentBytes(),
            sample.sentPackets(),
            sample.droppedPackets(),
            observation.intervalNanos());
      }
    }
  }

  private void add(PortId id, Source source, long bytes, long packets, long drops, long nanos) {
    Port port = ports.get(id);
    if (port == null) {
      port = new Port();
      ports.put(id, port);
    }
    if (source.ordinal() < port.source.ordinal()) {
      return;
    }
    if (source != port.source) {
      port.takeFrom(source);
    }
    port.isCounted = true;
    port.intervalNanos = nanos;
    port.now.bytes += bytes;
    port.now.packets += packets;
    port.now.nanos += nanos;
    if (drops == PortSample.NOT_COUNTED) {
      port.areDropsCounted = false;
    } else {
      port.now.drops += drops;
    }
  }

  /** A cycle is over. A port whose source is silent for long takes any other. */
  void endCycle() {
    for (Port port : ports.values()) {
      port.wasCounted = port.isCounted;
      port.silentCycles = port.isCounted ? 0 : port.silentCycles + 1;
      if (port.silentCycles >= SILENT_CYCLES) {
        port.source = Source.NONE;
      }
      port.roll();
    }
  }

  /**
   * Another cycle begins here; a port that was not counted since the last one keeps what it had.
   */
  void restartCycle() {
    for (Port port : ports.values()) {
      port.wasCounted |= port.isCounted;
      port.roll();
    }
  }

  /** Forgets all other ports. */
  void retain(Set<PortId> known) {
    ports.keySet().retainAll(known);
  }

  /** Hands over what was counted in the cycle that has ended. */
  void feed(LinkReadings readings, List<PortId> links) {
    for (int link = 0; link < links.size(); link++) {
      Port port = ports.get(links.get(link));
      if (port != null && port.wasCounted) {
        port.latest.readInto(readings, link);
      }
    }
  }

  /** Prepares new readings, so that what was counted in the cycle that has ended is known. */
  void seed(LinkReadings readings, List<PortId> links) {
    Sums nothing = new Sums();
    for (int link = 0; link < links.size(); link++) {
      Port port = ports.get(links.get(link));
      if (port == null) {
        nothing.readInto(readings, link);
      } else if (port.wasCounted) {
        port.before.readInto(readings, link);
        port.latest.readInto(readings, link);
      } else {
        port.latest.readInto(readings, link);
      }
    }
  }

  /** The longest interval between two readings of one of these links, ns; 0: none was read. */
  long longestIntervalNanos(List<PortId> links) {
    long longest = 0;
    for (PortId link : links) {
      Port port = ports.get(link);
      longest = port == null ? longest : Math.max(longest, port.intervalNanos);
    }
    return longest;
  }
}
