// SPDX-License-Identifier: Apache-2.0
package org.sluice.sim.shim.queue;

/**
 * The parameters of a {@link ClassQueue}. The numbers that follow from a rate r are the agent's.
 *
 * @param nicBitsPerSecond what the NIC can carry, above 0
 * @param mtuBytes largest IP packet
 * @param overheadBytes what the link adds to each packet, which limits charge
 * @param enforcement what happens to packets above a limit
 * @param bucketNanos how much of its rate a bucket holds under {@link Enforcement#POLICE} and
 *     {@link Enforcement#HOLD}, ns
 */
public record ClassQueueParameters(
    long nicBitsPerSecond,
    int mtuBytes,
    int overheadBytes,
    Enforcement enforcement,
    long bucketNanos) {
  private static final int MAX_SUPER_PACKET_BYTES = 64 << 10;

  /** How much of its rate the agent's HTB holds in a bucket, ns. */
  private static final long HTB_BUCKET_NANOS = 1_000_000L;

  /** A leaf that does not limit its rate: a device's usual queue. */
  private static final int POLICED_PACKETS = 1000;

  public ClassQueueParameters {
    if (nicBitsPerSecond <= 0 || mtuBytes <= 0 || overheadBytes < 0 || bucketNanos <= 0) {
      throw new IllegalArgumentException(
          "nicBitsPerSecond, mtuBytes and bucketNanos must be above 0, overheadBytes not below");
    }
  }

  int frameBytes() {
    return mtuBytes + overheadBytes;
  }

  /** How much a bucket holds: max(2 MTU, r x 1 ms) for HTB, else max(2 MTU, r x bucketNanos). */
  long depthBytes(long bitsPerSecond) {
    long held = enforcement == Enforcement.HTB ? HTB_BUCKET_NANOS : bucketNanos;
    return Math.max(2L * frameBytes(), bytesIn(held, bitsPerSecond));
  }

  /** A leaf's limit: max(4 gso_max, r x 10 ms). */
  long leafBytes(long bitsPerSecond) {
    if (enforcement == Enforcement.POLICE) {
      return (long) POLICED_PACKETS * frameBytes();
    }
    return Math.max(4 * superPacketBytes(bitsPerSecond), bytesIn(10_000_000L, bitsPerSecond));
  }

  /** gso_max = clamp(r x 1 ms, 2 MTU, 64 KB). */
  private long superPacketBytes(long bitsPerSecond) {
    long bytes = Math.max(bytesIn(1_000_000L, bitsPerSecond), 2L * mtuBytes);
    return Math.min(bytes, MAX_SUPER_PACKET_BYTES);
  }

  private static long bytesIn(long nanos, long bitsPerSecond) {
    return (long) (bitsPerSecond / 8e9 * nanos);
  }
}
