// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * Sluice's caps on the feeders of a port at which short flows wait, beside Micro-flow's ({@link
 * MicroFlowLaw}), with whose TH, alpha and beta they go:
 *
 * <pre>
 *   TR_i = n_i / n (BW - M) (1 - alpha beta / 2)      bit/s
 * </pre>
 *
 * <p>n_i of the n senders of the port's background flows come by feeder i; who has flows by several
 * feeders counts at each, and where flows are nobody's each is a sender of its own. M is what the
 * port's micro queue sends, at most BW/2: beyond that it has no priority. So all feeders together
 * send no more than is left of the port, where in print each by itself may send BW/2, and two fill
 * it.
 */
public final class FeederLaw {
  private FeederLaw() {}

  /**
   * TR_i, bit/s.
   *
   * @param bandwidthBitsPerSecond BW of the downstream port, above 0
   * @param microBitsPerSecond what its micro queue has sent of late, at least 0
   * @param senders of background flows that come by this feeder, at least 1
   * @param allSenders the sum of all feeders', at least as many
   * @param alpha 0 to 1
   * @param beta 0 to 1
   * @return at least 1 and at least a quarter of BW's part; all feeders' together at most BW
   */
  public static long capBitsPerSecond(
      long bandwidthBitsPerSecond,
      double microBitsPerSecond,
      int senders,
      int allSenders,
      double alpha,
      double beta) {
    double left =
        bandwidthBitsPerSecond - Math.min(microBitsPerSecond, bandwidthBitsPerSecond / 2.0);
    return Math.max(1, (long) (left * senders / allSenders * (1 - alpha * beta / 2)));
  }
}
