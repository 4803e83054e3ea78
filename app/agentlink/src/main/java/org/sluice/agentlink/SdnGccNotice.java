// SPDX-License-Identifier: Apache-2.0
package org.sluice.agentlink;

/**
 * SDN-GCC's own notice (Abdelmoniem and Bensaou, section VII.B): a count of marks in two bytes,
 * from the destination's address to the source's. Whoever can send a packet can forge one.
 */
public final class SdnGccNotice {
  private static final int MOST_MARKS = 0xffff;

  private SdnGccNotice() {}

  /**
   * The frame of a notice.
   *
   * @param marks at least 0. They are rounded; a part of one counts as one, since 0 means nothing,
   *     and more than two bytes hold count as what they hold.
   */
  public static byte[] frame(InBandPath path, double marks) {
    long whole = marks > 0 ? Math.max(1, Math.round(marks)) : 0;
    int count = (int) Math.min(MOST_MARKS, whole);
    return path.frame(new byte[] {(byte) (count >> 8), (byte) count});
  }
}
