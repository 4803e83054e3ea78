// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * Whether more is sent into a port than it carries, judged by its marks. At rest the hosts' loops
 * have about 0.45 of all packets marked; where much more is, their limits come to more than marks
 * can hold down: the queue stays above its threshold, and overflows.
 *
 * <p>A TCP sender that has lost its whole window is silent until its retransmission timeout. It
 * looks as if it wanted nothing, the others' level rises, and when all are back more is lost than
 * before. So while a port is overloaded, and for {@link #HOLD_NANOS} more, nobody begins to count
 * as light ({@link Demand}). Nothing stays free for that: the hosts' loops take what is not marked.
 */
public final class Overload {
  /** Of its packets an overloaded port marks more than this part. */
  public static final double MARKED = 0.7;

  /**
   * That is a mean of about so long, ns: above the host loop's own swing, and a shallow buffer is
   * full much sooner.
   */
  public static final double WINDOW_NANOS = 10e6;

  /** It is of no fewer packets: few are all marked by chance. */
  public static final double WINDOW_PACKETS = 400;

  private static final double PACKET_BITS = 12_000;

  /** Overload is remembered for so long, ns: longer than usual least retransmission timeouts. */
  public static final long HOLD_NANOS = 300_000_000L;

  private static final long NEVER = Long.MIN_VALUE / 2;

  private double marked;
  private long lookedAt;
  private long foundAt = NEVER;

  /**
   * Takes what was reported since the last look.
   *
   * @param part of the packets that were marked, [0, 1]; 0 where nothing was reported
   * @param capacityBitsPerSecond of the port, above 0
   * @param now engine time, ns
   */
  public void look(double part, double capacityBitsPerSecond, long now) {
    double packetNanos = PACKET_BITS * 1e9 / capacityBitsPerSecond;
    double keep = Math.exp((lookedAt - now) / Math.max(WINDOW_NANOS, WINDOW_PACKETS * packetNanos));
    marked = part + (marked - part) * keep;
    lookedAt = now;
    if (marked > MARKED) {
      foundAt = now;
    }
  }

  /** Whether the port is overloaded, or was shortly before the last look. */
  public boolean isLasting() {
    return lookedAt - foundAt < HOLD_NANOS;
  }
}
