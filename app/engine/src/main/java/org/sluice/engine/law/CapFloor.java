// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.law;

/**
 * Caps beside guarantees: a cap holds back what is left to background flows, never what is promised
 * to those who send them. In no paper.
 *
 * <pre>
 *   cap = max(TR, min(G, BW))       bit/s
 * </pre>
 *
 * <p>G is the sum of the floors in force, at the downstream port, of the endpoints whose background
 * flows pass the feeder: guarantees by the hose model, and the rates of promised deadlines. More
 * than BW of it cannot be carried there anyway.
 */
public final class CapFloor {
  private CapFloor() {}

  /**
   * What a feeder may send, bit/s.
   *
   * @param capBitsPerSecond TR of {@link MicroFlowLaw} or {@link FeederLaw}, above 0
   * @param floorBitsPerSecond G, at least 0
   * @param bandwidthBitsPerSecond BW of the downstream port, above 0
   * @return at least TR, and at most BW where TR is
   */
  public static long capBitsPerSecond(
      long capBitsPerSecond, long floorBitsPerSecond, long bandwidthBitsPerSecond) {
    return Math.max(capBitsPerSecond, Math.min(floorBitsPerSecond, bandwidthBitsPerSecond));
  }
}
