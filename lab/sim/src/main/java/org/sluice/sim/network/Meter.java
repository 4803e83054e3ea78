// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.network;

import org.sluice.sim.packet.Packet;

/** An OpenFlow meter with one drop band: a token bucket. */
public final class Meter implements Policer {
  private static final double NANOS_PER_SECOND = 1e9;

  private final double burstBits;
  private double rateBitsPerSecond;
  private double tokensBits;
  private long filledNanos;
  private long droppedPackets;

  /**
   * @param rateBitsPerSecond above 0
   * @param burstBits at least one packet's worth
   */
  public Meter(double rateBitsPerSecond, double burstBits) {
    this.rateBitsPerSecond = rateBitsPerSecond;
    this.burstBits = burstBits;
    this.tokensBits = burstBits;
  }

  /** A new rate; the bucket keeps what it has. */
  public void setRate(double bitsPerSecond, long nowNanos) {
    fill(nowNanos);
    rateBitsPerSecond = bitsPerSecond;
  }

  public double rateBitsPerSecond() {
    return rateBitsPerSecond;
  }

  public long droppedPackets() {
    return droppedPackets;
  }

  @Override
  public boolean admits(Packet packet, long nowNanos) {
    return admits(packet.ipBytes, nowNanos);
  }

  boolean admits(int ipBytes, long nowNanos) {
    fill(nowNanos);
    double bits = ipBytes * 8.0;
    if (tokensBits < bits) {
      droppedPackets++;
      return false;
    }
    tokensBits -= bits;
    return true;
  }

  private void fill(long nowNanos) {
    double earned = rateBitsPerSecond * (nowNanos - filledNanos) / NANOS_PER_SECOND;
    tokensBits = Math.min(burstBits, tokensBits + earned);
    filledNanos = nowNanos;
  }
}
