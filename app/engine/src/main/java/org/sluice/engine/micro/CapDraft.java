// SPDX-License-Identifier: Apache-2.0
package org.sluice.engine.micro;

import org.sluice.api.PortId;

/**
 * A cap and what it was decided on, while it is handed over. It holds only during the call: one
 * object serves all of them.
 */
public final class CapDraft {
  PortId upstream;
  PortId downstream;
  long bitsPerSecond;
  long untilNanos;
  int queuePackets;
  int thresholdPackets;
  double alpha;
  double beta;
  long floorBitsPerSecond;
  int flows;

  CapDraft() {}

  /** The port whose background queue is capped. */
  public PortId upstream() {
    return upstream;
  }

  /** The port whose micro queue is long. */
  public PortId downstream() {
    return downstream;
  }

  /** TR, or the floor if that is more; above 0. */
  public long bitsPerSecond() {
    return bitsPerSecond;
  }

  /** When it ends unless it is renewed, ns. */
  public long untilNanos() {
    return untilNanos;
  }

  /** ql of the micro queue downstream, packets. */
  public int queuePackets() {
    return queuePackets;
  }

  /** TH of that queue, packets. */
  public int thresholdPackets() {
    return thresholdPackets;
  }

  /** 0 to 1. */
  public double alpha() {
    return alpha;
  }

  /** 0 to 1. */
  public double beta() {
    return beta;
  }

  /** What guarantees leave the feeder at least, bit/s; 0: nothing. */
  public long floorBitsPerSecond() {
    return floorBitsPerSecond;
  }

  /** Background flows that pass. */
  public int flows() {
    return flows;
  }
}
