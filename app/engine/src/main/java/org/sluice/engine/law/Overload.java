// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * Whether more is sent into a port than it carries, judged by its marks. At rest the hosts' loops
 * have about 0.45 of all packets marked; where much more is, their limits come to more than marks
 * can hold down: the queue stays above its threshold, and overflows.
 *
 * <p>A TCP sender that has lost its whole window is silent until its retransmission timeout. It
 * looks as if it demanded nothing, the others' level rises, and when all are back more is lost than
 * before. So while a port is overloaded, and for {@link #HOLD_NANOS} more, nobody who is silent
 * begins to count as light ({@link Demand}). Nothing stays free for that: the hosts' loops take
 * what is not marked.
 */
public final class Overload {
  /** Of its packets an overloaded port marks more than this part. */
  public static final double MARKED = 0.7;

  /**
   * That is a mean of about so long, ns: above the host loop's own swing, and a shallow buffer is
   * full much sooner.
   */
  public static final double WINDOW_NANOS = 10e6;

  /** It is of no fewer packets of a full port: few are all marked by chance. */
  public static final double WINDOW_PACKETS = 400;

  /**
   * The packets of which marks are known are at least this part of what a full port carries, or
   * they count as if the rest were unmarked: a queue above its threshold marks all that come for a
   * while, and one sender of many may have just that while.
   */
  public static final double LEAST_KNOWN = 0.5;

  private static final double PACKET_BITS = 12_000;

  /** Overload is remembered for so long, ns: longer than usual least retransmission timeouts. */
  public static final long HOLD_NANOS = 300_000_000L;

  private static final long NEVER = Long.MIN_VALUE / 2;

  private double packets;
  private double marks;
  private long updatedAt;
  private long foundAt = NEVER;

  /**
   * Takes the part of all of the port's packets that was marked since the last evaluation.
   *
   * @param part of the packets that were marked, [0, 1]
   * @param capacityBitsPerSecond of the port, above 0
   * @param now engine time, ns
   */
  public void update(double part, double capacityBitsPerSecond, long now) {
    double all = capacityBitsPerSecond / PACKET_BITS * (now - updatedAt) / 1e9;
    update(part, all, capacityBitsPerSecond, now);
  }

  /**
   * Takes what was reported of some of the port's packets since the last evaluation.
   *
   * @param part of these that were marked, [0, 1]
   * @param ofPackets how many they are, at least 0
   * @param capacityBitsPerSecond of the port, above 0
   * @param now engine time, ns
   */
  public void update(double part, double ofPackets, double capacityBitsPerSecond, long now) {
    double packetsPerNano = capacityBitsPerSecond / PACKET_BITS / 1e9;
    double window = Math.max(WINDOW_NANOS, WINDOW_PACKETS / packetsPerNano);
    double nanos = Math.max(1, now - updatedAt);
    double keep = Math.exp(-nanos / window);
    // They came evenly over the time since then, and fade from there on.
    double counted = ofPackets * (1 - keep) * window / nanos;
    packets = packets * keep + counted;
    marks = marks * keep + counted * part;
    updatedAt = now;
    if (marks > MARKED * Math.max(packets, LEAST_KNOWN * packetsPerNano * window)) {
      foundAt = now;
    }
  }

  /** For how long it has not been overloaded any more, ns; 0 while it is, and shortly after. */
  public long calmNanos() {
    return Math.max(0, updatedAt - foundAt - HOLD_NANOS);
  }
}
