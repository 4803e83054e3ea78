// SPDX-License-Identifier: Apache-2.0
package org.sluice.core.sampling;

/** Why what switches send of samples is not taken in. */
public enum SampleLoss {
  /** A datagram of an address that is not listed. */
  FOREIGN,
  /** A datagram beyond what a switch may send in a second. */
  OVER_QUOTA,
  /** A datagram that is none of sFlow version 5. */
  MALFORMED,
  /** A sample that is not whole and right. */
  MALFORMED_SAMPLE,
  /** A datagram for which the kernel had no space. */
  KERNEL,
  /** What a flow has sent, for which the engine thread had no space. */
  LEFT_OUT
}
